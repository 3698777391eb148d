import { isApiError, type QrCode, type QrServiceClient } from '@qr-service/core';
import { normalise } from '@qr-service/core/connector';
import type { Bundle, PlainInputField, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { oneOfInput, textInput } from '../inputs/readInputs.ts';
import { hasShortLink, matchingCodes, MOST_CODES } from '../resources/matchingCodes.ts';
import { newestFirst } from '../resources/newestFirst.ts';
import { guarded } from '../errors/withZapierErrors.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';

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
  const by = readSearchBy(bundle);
  const value = textInput(bundle, VALUE_FIELD);
  const found = await find(z, createClient(z, bundle), by, value);
  return newestFirst(found, (code) => code.updatedAt).map(qrCodeRow);
}

async function find(z: ZObject, client: QrServiceClient, by: SearchBy, value: string): Promise<QrCode[]> {
  if (by === 'id') return findById(client, value);
  const found: QrCode[] = [];
  const matches = by === 'publicUrl' ? hasShortLink(value) : hasName(value);
  for await (const code of matchingCodes(z, client, matches)) found.push(code);
  return found;
}

async function findById(client: QrServiceClient, id: string): Promise<QrCode[]> {
  try {
    return [await client.qr.get(id)];
  } catch (error) {
    if (isApiError(error) && error.status === 404 && error.intermediary === undefined) return [];
    throw error;
  }
}

function hasName(name: string): (code: QrCode) => boolean {
  const key = normalise(name);
  return (code) => normalise(code.name) === key;
}

function readSearchBy(bundle: Bundle): SearchBy {
  return oneOfInput(bundle, SEARCH_BY_FIELD, Object.keys(SEARCH_BY) as SearchBy[]);
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
