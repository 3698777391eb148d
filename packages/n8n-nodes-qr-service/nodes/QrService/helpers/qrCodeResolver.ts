import type { IExecuteFunctions } from 'n8n-workflow';
import { ParameterError, resolveCodeId, type FindShortLink } from '../../../core.ts';
import { Parameters } from '../../shared/parameters.ts';
import { qrCodeIdProperty } from '../descriptions/qrCodeId.ts';

/**
 * Reads which code an item names, and finds its ID. `onNamed` is told each one. The IDs resolve in the order of the items,
 * so that the last item about a code wins, however each names it.
 */
export function qrCodeResolver(
  context: IExecuteFunctions,
  findShortLink: FindShortLink,
  onNamed: (named: string) => void,
): (itemIndex: number) => () => Promise<string> {
  let latest: Promise<unknown> = Promise.resolve();
  return (itemIndex) => {
    const named = Parameters.ofItem(context, itemIndex).located(qrCodeIdProperty);
    onNamed(named);
    if (named !== '')
      return () => {
        const found = resolveCodeId(named, findShortLink);
        const inOrder = Promise.allSettled([latest, found]).then(() => found);
        latest = inOrder;
        return inOrder;
      };
    throw new ParameterError(`${qrCodeIdProperty.displayName} is empty.`, {
      code: 'validation_failed',
      parameter: qrCodeIdProperty.displayName,
      advice: 'Choose one from the list, or enter an ID or a short link.',
    });
  };
}
