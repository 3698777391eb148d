import type { QrCode } from '@qr-service/core';
import {
  CodeFinder,
  codeLabel,
  INPUTS,
  isOwnError,
  newestFirst,
  type PlatformClient,
  recentCodes,
} from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { inputField } from '../inputs/fields.ts';
import { textInput } from '../inputs/readInputs.ts';

/** How long the list may be read for a name or a short link, in milliseconds: writes follow in the same run. */
export const SEARCH_MS = 20_000;

/**
 * A page of the dropdown: recent codes, then the pages of the service's list, which may start with the oldest. Zapier
 * sends the token back unchanged for the next page: it has the first page's codes, as later ones may repeat them.
 */
async function codeChoices(z: ZObject, bundle: Bundle) {
  const client = createClient(z, bundle);
  const [cursor, ...shown] = JSON.parse(bundle.meta.paging_token ?? '[]') as string[];
  const page = await (cursor === undefined ? recentCodes(client, SEARCH_MS) : client.qr.listPage({ cursor }));
  const codes = newestFirst(page.rows, ({ updatedAt }) => updatedAt).filter(({ id }) => !shown.includes(id));
  const first = cursor === undefined ? codes.map(({ id }) => id) : shown;
  return {
    results: codes.map((code) => ({ id: code.id, label: codeLabel(code) })),
    paging_token: page.nextCursor === undefined ? null : JSON.stringify([page.nextCursor, ...first]),
  };
}

/** The field for the code that a step works on. */
export const QR_CODE_ID_FIELD = inputField(INPUTS.qrCodeId, {
  resource: 'qr_code',
  choices: { perform: withZapierErrors(codeChoices, 'dropdown') },
  search: 'find_qr_code.id',
});

/**
 * Reads which code the step works on: its ID and, if a short link was looked up among the workspace's codes, all of it.
 * @throws ParameterError if the field is empty or no code has the link
 */
export async function requireCode(
  bundle: Bundle,
  { qr }: PlatformClient,
): Promise<QrCode | Pick<QrCode, 'id'>> {
  const finder = new CodeFinder(qr, { searchMs: SEARCH_MS });
  return finder.latest({ id: await finder.idOf(textInput(bundle, QR_CODE_ID_FIELD)) });
}

/**
 * Checks that a code exists, so that nobody waits for one that doesn't. A key without the scope for codes can't.
 * @throws ApiError if it doesn't exist
 */
export async function checkCode({ qr }: PlatformClient, id: string): Promise<void> {
  if (id === '') return;
  await qr.get(id).catch((error: unknown) => {
    if (!isOwnError(error, 403)) throw error;
  });
}
