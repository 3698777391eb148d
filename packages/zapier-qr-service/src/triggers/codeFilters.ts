import {
  EVENTS,
  hasStatus,
  omitUndefined,
  readCodeReference,
  SAMPLE_QR_CODE,
} from '@qr-service/core/connector';
import type { EventType, QrCode, QrServiceClient, WebhookEvent } from '@qr-service/core';
import type { Bundle, PlainInputField } from 'zapier-platform-core';
import { dropdownChoice } from '../inputs/inputField.ts';
import { textInput, textsInput } from '../inputs/readInputs.ts';
import { hasOneState } from '../resources/event.ts';
import { newestRows, SAMPLE_ROWS } from '../resources/newestRows.ts';
import { findNamedCode, NAMED_CODE_FIELD, nameMatcher } from '../resources/namedCode.ts';

const CODE_FIELD: PlainInputField = {
  ...NAMED_CODE_FIELD,
  helpText:
    'Triggers only for this code. Choose it from the list, or enter its ID or short link. Leave empty for any code.',
};

const STATUS_FIELD: PlainInputField = {
  key: 'status',
  label: 'Status',
  type: 'string',
  required: false,
  list: true,
  choices: [dropdownChoice('published', 'Published'), dropdownChoice('archived', 'Archived')],
  helpText:
    'Triggers only if the code has one of these statuses. Choose or enter them. Leave empty for any status.',
};

/** Filter fields of a trigger about codes in any state. */
export const CODE_FILTER_FIELDS = [CODE_FIELD, STATUS_FIELD];

/** Filter fields of the trigger for an event. */
export function eventFilterFields(type: EventType): PlainInputField[] {
  if (!isAboutCodes(type)) return [];
  return hasOneState(type) ? [CODE_FIELD] : CODE_FILTER_FIELDS;
}

/** Number of recent codes in which the editor's test looks for matches. */
const RECENT_CODES = 30;

/** Whether the trigger for an event has these filters. */
export function isAboutCodes(type: EventType): boolean {
  return EVENTS[type].about === 'code';
}

/** Fields of a code that filters compare. */
type Filtered = Partial<Record<'id' | 'publicUrl' | 'status', unknown>>;

/** The filters of a trigger about codes. */
export interface CodeFilters {
  /** Whether they name a code by its ID, so that `findCode` takes one request. */
  isById: boolean;
  /**
   * Reads the code that they name; none if they name none. Checks the filters while people set up a trigger, as a code
   * that doesn't exist would never match.
   * @param searchMs how long the list may be read for a short link, in milliseconds
   * @throws ApiError or ParameterError if no code matches, or if the key can't read codes
   */
  findCode: (client: QrServiceClient, searchMs?: number) => Promise<QrCode[]>;
  /** The first status that passes; undefined if all do. */
  status: string | undefined;
  /** Whether a code passes. A missing field counts as a match, so that a filter never loses events. */
  pass: (code: Filtered) => boolean;
}

/**
 * Reads a trigger's filters. Empty ones let everything pass.
 * @throws ParameterError for a value that isn't text
 */
export function readCodeFilters(bundle: Bundle): CodeFilters {
  const named = textInput(bundle, CODE_FIELD);
  // Callers that know no lists may pass several separated by commas.
  const statuses = textsInput(bundle, STATUS_FIELD).flatMap((text) => text.split(','));
  const isWanted = hasStatus(statuses);
  const isNamed = nameMatcher(named);
  return {
    status: statuses.map((text) => text.trim().toLowerCase()).find((text) => text !== ''),
    isById: named !== '' && 'id' in readCodeReference(named),
    findCode: async (client, searchMs) =>
      named === '' ? [] : [await findNamedCode(bundle, client, named, searchMs)],
    pass: (code) => isNamed(code) && isWanted(code),
  };
}

/**
 * Codes for the editor's test, newest first: the code that a filter names, or else recent ones. Only those that pass
 * the filters and `fits`. If there are none, an example that passes the filters, if any are set.
 * @param usualStatus of the example, unless a filter has another one
 */
export async function sampleCodes(
  bundle: Bundle,
  client: QrServiceClient,
  fits: (code: QrCode) => boolean = () => true,
  usualStatus: string = SAMPLE_QR_CODE.status,
): Promise<QrCode[]> {
  const filters = readCodeFilters(bundle);
  const named = await filters.findCode(client);
  const codes = named.length === 0 ? await recentCodes(client) : named;
  const found = codes.filter((code) => filters.pass(code) && fits(code)).slice(0, SAMPLE_ROWS);
  const isFiltered = named.length > 0 || filters.status !== undefined;
  return found.length > 0 || !isFiltered
    ? found
    : [{ ...(named[0] ?? SAMPLE_QR_CODE), status: filters.status ?? usualStatus }];
}

function recentCodes({ qr }: QrServiceClient): Promise<QrCode[]> {
  return newestRows<QrCode>(
    (updatedSince) => qr.listPage(omitUndefined({ updatedSince })),
    (code) => code.updatedAt,
    RECENT_CODES,
  );
}

/**
 * The code that an event is about, with the fields that the event contains. Its ID is the one that the trigger
 * outputs.
 */
export function codeOf({ data: { qrId, qr } }: WebhookEvent): Filtered {
  const code = qr as Filtered | null | undefined;
  return { ...code, id: qrId ?? code?.id };
}
