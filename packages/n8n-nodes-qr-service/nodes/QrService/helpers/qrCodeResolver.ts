import type { IExecuteFunctions } from 'n8n-workflow';
import {
  ParameterError,
  resolveCodeId,
  shortLinkIndex,
  type CallOptions,
  type QrServiceClient,
} from '../../../core.ts';
import { Parameters } from '../../shared/parameters.ts';
import { qrCodeIdProperty } from '../descriptions/qrCodeId.ts';

/** Finds the ID of the code that an item names. The codes are listed once per run, when a short link must be looked up. */
export function qrCodeResolver(
  context: IExecuteFunctions,
  client: QrServiceClient,
  options: CallOptions,
): (itemIndex: number) => Promise<string> {
  const findShortLink = shortLinkIndex(client, options);
  return async (itemIndex) => {
    const named = Parameters.ofItem(context, itemIndex).located(qrCodeIdProperty);
    if (named !== '') return resolveCodeId(named, findShortLink);
    throw new ParameterError(`${qrCodeIdProperty.displayName} is empty.`, {
      code: 'validation_failed',
      parameter: qrCodeIdProperty.displayName,
      advice: 'Choose one from the list, or enter an ID or a short link.',
    });
  };
}
