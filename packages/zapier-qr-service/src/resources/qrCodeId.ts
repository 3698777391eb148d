import { codeLabel, readCodeReference, showText } from '@qr-service/core/connector';
import type { QrServiceClient } from '@qr-service/core';
import type { Bundle, PlainInputField, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { plainError } from '../errors/zapierErrors.ts';
import { textInput } from '../inputs/readInputs.ts';
import { hasShortLink, matchingCodes } from './matchingCodes.ts';
import { newestFirst } from './newestFirst.ts';
import { guarded } from '../errors/withZapierErrors.ts';

/** A page of a dropdown, in Zapier's form. */
interface Choices {
  results: { id: string; label: string }[];
  /** Given back unchanged for the next page; null after the last. */
  paging_token: string | null;
}

/** One page of the service's list: its cursor is Zapier's paging token. */
async function codeChoices(z: ZObject, bundle: Bundle): Promise<Choices> {
  const { paging_token: cursor } = bundle.meta;
  const { rows, nextCursor } = await createClient(z, bundle).qr.listPage(cursor ? { cursor } : {});
  const codes = newestFirst(rows, (code) => code.updatedAt);
  return {
    results: codes.map((code) => ({ id: code.id, label: codeLabel(code) })),
    paging_token: nextCursor ?? null,
  };
}

/** Choice of a code for the steps that work on one. */
export const QR_CODE_ID_FIELD: PlainInputField = {
  key: 'qrCodeId',
  label: 'QR Code',
  type: 'string',
  required: true,
  resource: 'qr_code',
  choices: { perform: guarded(codeChoices) },
  search: 'find_qr_code.id',
  helpText: 'Choose it from the list, or map its ID or its short link from an earlier step.',
};

/**
 * Id of the code that the step works on. A short link is looked up among the workspace's codes.
 * @throws Zapier's Error when the field is empty or no code has the link
 */
export async function requireCodeId(z: ZObject, bundle: Bundle, client: QrServiceClient): Promise<string> {
  const reference = readCodeReference(textInput(bundle, QR_CODE_ID_FIELD));
  if ('id' in reference) return reference.id;
  const { shortLink } = reference;
  for await (const { id } of matchingCodes(z, client, hasShortLink(shortLink))) return id;
  throw plainError(
    z,
    `No QR code has the short link ${showText(shortLink)}. Check the link, or choose the code from the list.`,
    'not_found',
    404,
  );
}
