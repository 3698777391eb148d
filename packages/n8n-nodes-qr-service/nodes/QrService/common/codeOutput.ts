import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { inOutputOrder, type QrCode } from '../../../deps.ts';
import type { Parameters } from '../../platform/parameters.ts';

/** For the operations that write: a row can then be written back without another node's items. */
export const inputFieldsProperty: INodeProperties = {
  displayName: 'Include Input Fields',
  name: 'includeInputFields',
  type: 'boolean',
  default: false,
  description:
    "Whether to also output the fields of the input item. If one has another value there, such as status, the input's value is in input_status.",
};

/** Reads whether the output of a write has the fields of the input item, and returns the function that makes the output. */
export function codeOutput(context: IExecuteFunctions, parameters: Parameters, itemIndex: number) {
  const isIncluded = parameters.yesNo(inputFieldsProperty);
  const input = (isIncluded && context.getInputData()[itemIndex]?.json) || {};
  return (code: QrCode, more?: IDataObject): INodeExecutionData[] => {
    const result = inOutputOrder({ ...code, ...more }) as IDataObject;
    const own = Object.entries(input).map(([key, value]) =>
      key in result && result[key] !== value && !(`input_${key}` in input)
        ? [`input_${key}`, value]
        : [key, value],
    );
    return [{ json: { ...(Object.fromEntries(own) as IDataObject), ...result } }];
  };
}
