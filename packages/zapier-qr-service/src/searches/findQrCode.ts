import { isApiError, type QrCode, type QrServiceClient } from '@qr-service/core';
import { hasName, hasShortLink, matchingCodes } from '@qr-service/core/connector';
import type { Bundle, PlainInputField, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { dropdownChoice } from '../inputs/inputField.ts';
import { oneOfInput, textInput } from '../inputs/readInputs.ts';
import { newestFirst } from '../resources/newestFirst.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';
import { MAX_CODES } from '../resources/qrCodeId.ts';

const SEARCH_BY = { id: 'ID', publicUrl: 'Short link', name: 'Exact name' } as const;
type SearchBy = keyof typeof SEARCH_BY;

const SEARCH_BY_FIELD: PlainInputField = {
  key: 'searchBy',
  label: 'Search By',
  type: 'string',
  required: true,
  default: 'name',
  choices: Object.entries(SEARCH_BY).map(([value, label]) => dropdownChoice(value, label)),
  helpText: `By ID is the fastest. By short link or name, up to ${MAX_CODES} codes are searched.`,
};

const VALUE_FIELD: PlainInputField = {
  key: 'value',
  label: 'Value',
  placeholder: 'Table 4',
  type: 'string',
  required: true,
  helpText:
    'The ID, the short link or the exact name. Of codes with the same name, the most recently updated comes first.',
};

async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const by = readSearchBy(bundle);
  const value = textInput(bundle, VALUE_FIELD);
  const found = await find(createClient(z, bundle), by, value);
  return newestFirst(found, (code) => code.updatedAt).map(qrCodeRow);
}

async function find(client: QrServiceClient, by: SearchBy, value: string): Promise<QrCode[]> {
  if (by === 'id') return findById(client, value);
  const found: QrCode[] = [];
  const matches = by === 'publicUrl' ? hasShortLink(value) : hasName(value);
  for await (const code of matchingCodes(client, matches, { maxCodes: MAX_CODES })) found.push(code);
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
    perform: withZapierErrors(perform),
    inputFields: [SEARCH_BY_FIELD, VALUE_FIELD],
    ...QR_CODE_OUTPUT,
  },
};
