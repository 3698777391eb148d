import { isApiError, type QrCode, type QrServiceClient } from '@qr-service/core';
import type { Bundle, PlainInputField, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client.ts';
import { plainError } from '../errors.ts';
import { readText, requireText } from '../inputs.ts';
import { newestFirst } from '../newestFirst.ts';
import { guarded } from '../perform.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';

/** Codes looked through for a name or a short link, as the API has no search: what fits in Zapier's 30 s. */
const MOST_CODES = 5000;

const SEARCH_BY = { id: 'ID', publicUrl: 'Short link', name: 'Exact name' } as const;
type SearchBy = keyof typeof SEARCH_BY;

const SEARCH_BY_FIELD: PlainInputField = {
  key: 'searchBy',
  label: 'Search By',
  type: 'string',
  required: true,
  default: 'name',
  choices: Object.entries(SEARCH_BY).map(([value, label]) => ({ value, sample: value, label })),
  helpText: `By ID is the fastest. By short link or name, up to ${MOST_CODES} codes are looked through.`,
};

const VALUE_FIELD: PlainInputField = {
  key: 'value',
  label: 'Value',
  type: 'string',
  required: true,
  helpText:
    'The ID, the short link or the whole name. Of several codes with one name, the last changed comes first.',
};

async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const client = createClient(z, bundle);
  const value = requireText(z, bundle, VALUE_FIELD);
  const found = await find(z, client, readSearchBy(z, bundle.inputData[SEARCH_BY_FIELD.key]), value);
  return newestFirst(found, (code) => code.updatedAt).map(qrCodeRow);
}

async function find(z: ZObject, client: QrServiceClient, by: SearchBy, value: string): Promise<QrCode[]> {
  if (by === 'id') return findById(client, value);
  if (by === 'publicUrl')
    return findInList(z, client, (code) => normalLink(code.publicUrl) === normalLink(value));
  return findInList(z, client, (code) => readText(code.name) === value);
}

async function findById(client: QrServiceClient, id: string): Promise<QrCode[]> {
  try {
    return [await client.qr.get(id)];
  } catch (error) {
    if (isApiError(error) && error.status === 404) return [];
    throw error;
  }
}

/**
 * @throws Zapier's Error when the list is longer than the search looks: an empty result would be a lie, and
 * "find or create" would make a second code
 */
async function findInList(
  z: ZObject,
  client: QrServiceClient,
  matches: (code: QrCode) => boolean,
): Promise<QrCode[]> {
  const found: QrCode[] = [];
  let seen = 0;
  for await (const code of client.qr.list()) {
    seen += 1;
    if (seen > MOST_CODES) {
      if (found.length > 0) break;
      throw plainError(
        z,
        `None of the first ${MOST_CODES} QR codes matches, and the workspace has more. Search by ID instead.`,
        'search_limit',
      );
    }
    if (matches(code)) found.push(code);
  }
  return found;
}

/** Links are typed with and without scheme, in any case of the host and with a slash at the end. */
function normalLink(link: unknown): string | undefined {
  const text = readText(link);
  if (text === undefined) return undefined;
  const [host, ...path] = text.replace(/^https?:\/\//i, '').split('/');
  return [host?.toLowerCase(), ...path].join('/').replace(/\/+$/, '');
}

function readSearchBy(z: ZObject, value: unknown): SearchBy {
  const text = readText(value) ?? 'name';
  if (Object.hasOwn(SEARCH_BY, text)) return text as SearchBy;
  throw plainError(z, `Search By must be one of ${Object.keys(SEARCH_BY).join(', ')}.`, 'invalid_input', 422);
}

export const findQrCode: Search = {
  key: 'find_qr_code',
  noun: 'QR Code',
  display: {
    label: 'Find QR Code',
    description: 'Finds a QR code by its ID, its short link or its exact name.',
  },
  operation: {
    perform: guarded(perform),
    inputFields: [SEARCH_BY_FIELD, VALUE_FIELD],
    ...QR_CODE_OUTPUT,
  },
};
