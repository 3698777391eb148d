import type { IExecuteFunctions } from 'n8n-workflow';
import { ParameterError } from '../../../core.ts';
import { Parameters } from '../../shared/parameters.ts';
import { qrCodeIdProperty } from '../descriptions/qrCodeId.ts';

/** Reads which code an item names, and finds its ID. `onNamed` is told each one. */
export function qrCodeResolver(
  context: IExecuteFunctions,
  idOf: (named: string) => Promise<string>,
  onNamed: (named: string) => void,
): (itemIndex: number) => () => Promise<string> {
  return (itemIndex) => {
    const named = Parameters.ofItem(context, itemIndex).located(qrCodeIdProperty);
    onNamed(named);
    if (named !== '') return () => idOf(named);
    throw new ParameterError(`${qrCodeIdProperty.displayName} is empty.`, {
      code: 'validation_failed',
      parameter: qrCodeIdProperty.displayName,
      advice: 'Choose one from the list, or enter an ID or a short link.',
    });
  };
}
