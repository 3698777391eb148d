/** What every connector needs besides the client: the entry point `@qr-service/core/connector`. */
export { createTransport, type StreamedResponse } from '../client/createTransport.ts';
export { readApiKey } from '../client/configuration.ts';
export { idempotencyKeyFrom } from '../client/idempotencyKey.ts';

export { API_PATH, BRAND, LIMITS } from '../contract/brand.ts';
export { ERROR_CODES } from '../contract/errorCodes.ts';
export { eventFields, EVENTS, UNDOCUMENTED_EVENTS } from '../contract/events.ts';
export {
  EVENT_ENVELOPE_FIELDS,
  QR_CODE_FIELDS,
  SAMPLE_QR_CODE,
  SAMPLE_SCAN,
  SCAN_FIELDS,
  type FieldDefinition,
} from '../contract/fields.ts';
export { authHeader, SERVICE_HEADERS } from '../contract/headers.ts';
export { missingScopes, OPERATION_SCOPES } from '../contract/scopes.ts';
export { IMAGE_FORMATS } from '../contract/types.ts';

export type { ErrorWords } from '../errors/describeApiError.ts';
export { duration, errorText, sentence, showText } from '../errors/sentences.ts';
export { isOwnError, isServiceUnavailable } from '../errors/guards.ts';

export { omitUndefined } from '../json/json.ts';

export { identifyScans, type ScanOutputRow } from '../wire/scan.ts';
export { readTime } from '../wire/time.ts';

export {
  codeLabel,
  foldCase,
  hasStatus,
  inOutputOrder,
  KNOWN_STATUSES,
  normalize,
  targetUrlOf,
} from './code.ts';
export { notVisible } from './codeErrors.ts';
export { CodeFinder } from './CodeFinder.ts';
export { CodeMemory, turns } from './CodeMemory.ts';
export { readCodeReference } from './codeReference.ts';
export { CodeUpserter, conflictingRows, UPSERT_OUTCOMES, type UpsertRow } from './CodeUpserter.ts';
export { createAndPublish, publishCode, publishDraft, retargetCode } from './codeWrites.ts';
export { CONNECTION_INPUTS, readConnection, type Connection } from './connection.ts';
export {
  describeError,
  describeNotPublished,
  isNotPublishedError,
  NotPublishedError,
  unconfirmedCreation,
} from './describeError.ts';
export { ACTIONS, INPUTS, MATCH_BY, type InputDefinition } from './inputs.ts';
export { newestFirst, recentRows, SAMPLE_ROWS } from './recentRows.ts';

export { invalidParameter, isParameterError, ParameterError } from './parameters/ParameterError.ts';
export { toKey, toRequiredText, toText } from './parameters/text.ts';
export { toOneOf, toTime, toWholeNumber, toYesNo } from './parameters/values.ts';
export { toWebAddress } from './parameters/webAddress.ts';
