import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
  readCodeReference,
  shortLinkKey,
  showText,
  type CallOptions,
  type QrServiceClient,
} from '../../../core.ts';
import { Parameters } from '../../shared/parameters.ts';
import { qrCodeIdProperty } from '../descriptions/qrCodeId.ts';

/**
 * Finds the id of the code that an item names: an id is taken as it is, an API address holds it, and a
 * short link is looked up among the workspace's codes, which are walked once a run. A walk that fails is forgotten: items
 * that waited for it fail with it, and later ones walk anew.
 */
export function qrCodeResolver(
  context: IExecuteFunctions,
  client: QrServiceClient,
  options: CallOptions,
): (itemIndex: number) => Promise<string> {
  let shortLinks: Promise<Map<string, string>> | undefined;
  return async (itemIndex) => {
    const named = Parameters.ofItem(context, itemIndex).located(qrCodeIdProperty);
    if (named === '') {
      throw new NodeOperationError(context.getNode(), 'No QR code was given.', {
        description: 'Choose one from the list, or give its ID or its short link.',
        itemIndex,
      });
    }
    const reference = readCodeReference(named);
    if ('id' in reference) return reference.id;
    shortLinks ??= readShortLinks(client, options).catch((error: unknown) => {
      shortLinks = undefined;
      throw error;
    });
    const id = (await shortLinks).get(shortLinkKey(reference.shortLink));
    if (id !== undefined) return id;
    throw new NodeOperationError(context.getNode(), `No QR code has the short link ${showText(named)}.`, {
      description: 'Check the link, or give the ID of the QR code instead.',
      itemIndex,
    });
  };
}

async function readShortLinks(client: QrServiceClient, options: CallOptions): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for await (const code of client.qr.list({}, options)) ids.set(shortLinkKey(code.publicUrl), code.id);
  return ids;
}
