import { codeLabel, INPUTS, resolveCodeId, shortLinkSearch } from '@qr-service/core/connector';
import type { QrServiceClient } from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { DROPDOWN_WORDS } from '../errors/errorWords.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { inputField } from '../inputs/inputField.ts';
import { textInput } from '../inputs/readInputs.ts';
import { newestFirst } from './newestFirst.ts';

/** Codes looked through for a name or a short link: what fits in Zapier's 30 s. */
export const MAX_CODES = 5000;

/** A page of a dropdown, in Zapier's form. */
interface Choices {
  results: { id: string; label: string }[];
  /** Zapier sends it back unchanged for the next page; null after the last. */
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
export const QR_CODE_ID_FIELD = inputField(INPUTS.qrCodeId, {
  resource: 'qr_code',
  choices: { perform: withZapierErrors(codeChoices, DROPDOWN_WORDS) },
  search: 'find_qr_code.id',
});

/**
 * ID of the code that the step works on. A short link is looked up among the workspace's codes.
 * @throws ParameterError when the field is empty or no code has the link
 */
export function requireCodeId(bundle: Bundle, client: QrServiceClient): Promise<string> {
  return resolveCodeId(textInput(bundle, QR_CODE_ID_FIELD), shortLinkSearch(client, { maxCodes: MAX_CODES }));
}
