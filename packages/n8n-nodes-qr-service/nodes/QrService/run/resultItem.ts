import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { QrCode } from '../../../core.ts';
import { includeInputFieldsOption, optionsProperty } from '../descriptions/options.ts';
import type { Run } from './Run.ts';

/**
 * Makes the output of a write, with the fields of the input item if the user wants them. Reads that option at once, so call
 * it before the first request.
 */
export function resultItem(
  { context, parameters }: Run,
  itemIndex: number,
): (code: QrCode, more?: IDataObject) => INodeExecutionData[] {
  const isIncluded = parameters(itemIndex).in(optionsProperty()).yesNo(includeInputFieldsOption);
  const input = isIncluded ? context.getInputData()[itemIndex]?.json : {};
  return (code, more) => [{ json: { ...input, ...(code as IDataObject), ...more } }];
}
