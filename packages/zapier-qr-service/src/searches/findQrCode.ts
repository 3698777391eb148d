import { isApiError, type QrCode, type QrServiceClient } from '@qr-service/core';
import {
  hasName,
  hasShortLink,
  isDeleted,
  isSearchLimit,
  isShortLink,
  matchingCodes,
  newestFirst,
  readCodeReference,
  SAMPLE_QR_CODE,
} from '@qr-service/core/connector';
import type { Bundle, PlainInputField, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { textInput } from '../inputs/readInputs.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';
import { SEARCH_MS } from '../resources/qrCodeId.ts';

const VALUE_FIELD: PlainInputField = {
  key: 'value',
  label: 'ID, Short Link or Name',
  placeholder: 'Table 4',
  type: 'string',
  required: true,
  helpText: `For example \`${SAMPLE_QR_CODE.id}\`, \`${SAMPLE_QR_CODE.publicUrl}\` or \`Table 4\`. If several have the same name, the most recently updated one is used.`,
};

/** Text that may be an ID: the API text doesn't show what IDs look like. */
const MAYBE_ID = /^\w[\w.:~-]{0,199}$/;
/** Few names look like this. An ID in another form is tried last, as numbers may be names, or IDs in some services. */
const LIKELY_ID = /^(?=.*[a-z]).*[\d_]/i;
/** Statuses with which the service may refuse text that isn't an ID. */
const NOT_AN_ID: readonly number[] = [400, 404, 422];

async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const found = await findCodes(createClient(z, bundle), textInput(bundle, VALUE_FIELD));
  return newestFirst(found, (code) => code.updatedAt).map(qrCodeRow);
}

/**
 * Finds the codes that a text refers to: by short link, API URL, exact name or ID. Tries all of them before it returns
 * nothing, as "find or create" would create a duplicate. For plain text, a name takes precedence over an ID, unless
 * the text looks like an ID: looking that up takes one request.
 */
async function findCodes(client: QrServiceClient, value: string): Promise<QrCode[]> {
  const reference = readCodeReference(value);
  const id = 'id' in reference ? reference.id : '';
  const isPlain = id === value;
  const withId = async () => (MAYBE_ID.test(id) ? findById(client, id) : []);
  const isFirst = !isPlain || LIKELY_ID.test(id);
  const early = isFirst ? await withId() : [];
  if (early.length > 0) return early;
  const [isReferred, isNamed, isLink] = [hasShortLink(value), hasName(value), isShortLink(value)];
  const listed: QrCode[] = [];
  let limit: Error | undefined;
  try {
    const matches = (code: QrCode) => isReferred(code) || isNamed(code) || code.id === value;
    for await (const code of matchingCodes(client, matches, { searchMs: SEARCH_MS })) {
      if (!isPlain && isLink(code)) return [code];
      listed.push(code);
    }
  } catch (error) {
    // Another code may have the name as well, or exactly the link.
    if (!isSearchLimit(error) || listed.length > 0) throw error;
    limit = error;
  }
  const preferred = listed.filter(isPlain ? isNamed : isReferred);
  if (preferred.length > 0) return preferred;
  if (listed.length > 0) return listed;
  if (limit === undefined) return isFirst ? [] : withId();
  // Without time for that either, a rerun would search for as long.
  const late = isFirst ? [] : await withId().catch(() => []);
  if (late.length === 0) throw limit;
  return late;
}

/** The code with exactly this ID: a service may also find a code by its slug. */
async function findById(client: QrServiceClient, id: string): Promise<QrCode[]> {
  try {
    const code = await client.qr.get(id);
    return code.id === id && !isDeleted(code) ? [code] : [];
  } catch (error) {
    if (isNoCode(error)) return [];
    throw error;
  }
}

/**
 * Whether an error means that no code has this ID. If a proxy responded, the list, which contains the IDs too,
 * decides.
 */
function isNoCode(error: unknown): boolean {
  if (!isApiError(error)) return false;
  return error.intermediary === undefined ? NOT_AN_ID.includes(error.status) : error.status < 500;
}

export const findQrCode: Search = {
  key: 'find_qr_code',
  noun: 'QR Code',
  display: {
    label: 'Find QR Code',
    description: 'Finds a QR code by its ID, short link or exact name, for use in other steps.',
  },
  operation: {
    perform: withZapierErrors(perform),
    inputFields: [VALUE_FIELD],
    ...QR_CODE_OUTPUT,
  },
};
