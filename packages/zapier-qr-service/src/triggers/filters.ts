import {
  hasStatus,
  INPUTS,
  invalidParameter,
  isOwnError,
  normalize,
  readCodeReference,
  SAMPLE_QR_CODE,
} from '@qr-service/core/connector';
import type { QrCode, QrServiceClient } from '@qr-service/core';
import type { Bundle, PlainInputField } from 'zapier-platform-core';
import { dropdownChoice } from '../inputs/inputField.ts';
import { textInput, textsInput } from '../inputs/readInputs.ts';
import { SAMPLE_ROWS } from '../resources/newestRows.ts';
import { QR_CODE_ID_FIELD, recentCodes } from '../resources/qrCodeId.ts';

// A trigger has no earlier step to search in.
const { search: _search, ...CODE_DROPDOWN } = QR_CODE_ID_FIELD;

/** The filter for one code. */
export const CODE_FILTER: PlainInputField = {
  ...CODE_DROPDOWN,
  required: false,
  helpText: 'Choose a code from the list. Leave empty for any code.',
};

/** The filter by status. */
export const STATUS_FILTER: PlainInputField = {
  key: 'status',
  label: 'Status',
  type: 'string',
  required: false,
  list: true,
  choices: [dropdownChoice('published', 'Published'), dropdownChoice('archived', 'Archived')],
  helpText: 'Choose or enter statuses. Leave empty for any status.',
};

/**
 * Reads the ID of the only code that a trigger is about; empty for all codes.
 * @throws ParameterError for a short link: each check would have to look it up
 */
export function filteredId(bundle: Bundle): string {
  const named = textInput(bundle, CODE_FILTER);
  const reference = readCodeReference(named);
  if ('id' in reference) return reference.id;
  const { label } = INPUTS.qrCodeId;
  throw invalidParameter(named, { label }, 'the ID of a QR code', 'Choose a code from the list.');
}

/**
 * Checks that a code exists, so that nobody waits for one that doesn't. A key without the scope for codes can't.
 * @throws ApiError if it doesn't exist
 */
export async function checkCode({ qr }: QrServiceClient, id: string): Promise<void> {
  try {
    if (id !== '') await qr.get(id);
  } catch (error) {
    if (!isOwnError(error, 403)) throw error;
  }
}

/** Fields of a code that filters compare. */
type Filtered = Partial<Record<'id' | 'status', unknown>>;

/** The filters of a trigger about codes. */
export interface CodeFilters {
  /** The ID of the only code; empty for all codes. */
  id: string;
  /** The first status that passes; undefined if all do. */
  status: string | undefined;
  /** Whether a code passes. A missing field counts as a match, so that a filter never loses events. */
  pass: (code: Filtered) => boolean;
}

/**
 * Reads a trigger's filters. Empty ones let everything pass.
 * @throws ParameterError for an invalid value
 */
export function readCodeFilters(bundle: Bundle): CodeFilters {
  const id = filteredId(bundle);
  // Callers that know no lists may pass several separated by commas.
  const statuses = textsInput(bundle, STATUS_FILTER).flatMap((text) => text.split(','));
  const isWanted = hasStatus(statuses);
  return {
    id,
    status: statuses.map((text) => text.trim().toLowerCase()).find((text) => text !== ''),
    pass: (code) => (id === '' || ['', id].includes(normalize(code.id))) && isWanted(code),
  };
}

/**
 * Codes for the editor's test, newest first: the only code, or else recent ones. Only those that pass the filters and
 * `fits`. If there are none, an example that passes the filters, if any are set.
 * @param usualStatus of the example, unless a filter has another one
 */
export async function sampleCodes(
  { id, status, pass }: CodeFilters,
  client: QrServiceClient,
  fits: (code: QrCode) => boolean = () => true,
  usualStatus: string = SAMPLE_QR_CODE.status,
): Promise<QrCode[]> {
  const only = id === '' ? undefined : await client.qr.get(id);
  const codes = only === undefined ? (await recentCodes(client)).rows : [only];
  const found = codes.filter((code) => pass(code) && fits(code)).slice(0, SAMPLE_ROWS);
  const isFiltered = id !== '' || status !== undefined;
  if (found.length > 0 || !isFiltered) return found;
  return [{ ...(only ?? SAMPLE_QR_CODE), status: status ?? usualStatus }];
}
