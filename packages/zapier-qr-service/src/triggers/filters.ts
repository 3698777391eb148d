import type { QrCode } from '@qr-service/core';
import {
  hasStatus,
  INPUTS,
  invalidParameter,
  normalize,
  type PlatformClient,
  readCodeReference,
  recentCodes,
} from '@qr-service/core/connector';
import type { Bundle, PlainInputField } from 'zapier-platform-core';
import { dropdownChoice } from '../inputs/fields.ts';
import { textInput, textsInput } from '../inputs/readInputs.ts';
import { QR_CODE_ID_FIELD, SEARCH_MS } from '../resources/qrCodeId.ts';

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
  throw invalidParameter(named, INPUTS.qrCodeId, 'the ID of a QR code', 'Choose a code from the list.');
}

/**
 * Reads a trigger's filters: the ID of the only code, and whether a code passes. Empty ones let everything pass. So does
 * a missing field, so that a filter never loses events.
 * @throws ParameterError for an invalid value
 */
export function readCodeFilters(bundle: Bundle) {
  const id = filteredId(bundle);
  // Callers that know no lists may pass several separated by commas.
  const isWanted = hasStatus(textsInput(bundle, STATUS_FILTER).flatMap((text) => text.split(',')));
  const pass = (code: Partial<Record<'id' | 'status', unknown>>) =>
    (id === '' || ['', id].includes(normalize(code.id))) && isWanted(code);
  return { id, pass };
}

/** The codes that pass the filters, newest first: the only code, or else recent ones for the editor's test. */
export async function recentFilteredCodes(bundle: Bundle, client: PlatformClient): Promise<QrCode[]> {
  const { id, pass } = readCodeFilters(bundle);
  const codes = id === '' ? (await recentCodes(client, SEARCH_MS)).rows : [await client.qr.get(id)];
  return codes.filter(pass);
}
