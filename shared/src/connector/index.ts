/** What every connector needs besides the client: the entry point `@qr-service/core/connector`. */
export { readApiKey } from '../client/configuration.ts';
export { idempotencyKeyFrom } from '../client/idempotencyKey.ts';

export { API_PATH, BRAND, LIMITS } from '../contract/brand.ts';
export { ERROR_CODES } from '../contract/errorCodes.ts';
export { eventFields, EVENTS, UNSEEN_EVENTS, type EventDefinition } from '../contract/events.ts';
export {
  EVENT_ENVELOPE_FIELDS,
  QR_CODE_FIELDS,
  SAMPLE_QR_CODE,
  SAMPLE_SCAN,
  SCAN_FIELDS,
  type FieldDefinition,
} from '../contract/fields.ts';
export { authHeader, SERVICE_HEADERS } from '../contract/headers.ts';
export { missingScopes, OPERATION_SCOPES, type Operation } from '../contract/scopes.ts';
export { IMAGE_FORMATS } from '../contract/types.ts';

export { duration, type ErrorWords } from '../errors/describeFailure.ts';
export { errorText, sentence, showText, type ErrorDescription } from '../errors/sentences.ts';
export { isOwnError, isServiceUnavailable } from '../errors/guards.ts';

export { omitUndefined } from '../json/json.ts';

export { readHeader } from '../wire/headers.ts';
export { scanRows, type ScanOutputRow } from '../wire/scan.ts';
export { readTime } from '../wire/time.ts';

export { ACTIONS, UPSERT_LABEL } from './actions.ts';
export {
  codeLabel,
  foldCase,
  hasStatus,
  inOutputOrder,
  isPublished,
  isSameUrl,
  KNOWN_STATUSES,
  newestFirst,
  normalize,
  targetUrlOf,
} from './code.ts';
export { checkNewCode, notVisible, onlyOne } from './codeErrors.ts';
export { CodeFinder } from './CodeFinder.ts';
export { CodeMemory, codeMemoryFor, turns } from './CodeMemory.ts';
export { readCodeReference } from './codeReference.ts';
export { checkConnection, CONNECTION_INPUTS, readConnection, type Connection } from './connection.ts';
export {
  createAndPublish,
  createDraft,
  newCode,
  publishCode,
  publishDraft,
  retargetCode,
} from './codeWrites.ts';
export { conflictingRows } from './conflictingRows.ts';
export { CodeUpserter, MATCH_BY, UPSERT_OUTCOMES, type MatchBy, type UpsertRow } from './CodeUpserter.ts';
export { createTransport, type StreamedResponse } from './createTransport.ts';
export { describeError, unconfirmedCreation } from './describeError.ts';
export { INPUTS, type InputDefinition } from './inputs.ts';
export {
  describeNotPublished,
  isNotPublishedError,
  NotPublishedError,
  type NotPublishedWords,
} from './notPublished.ts';

export { toOneOf, toSeveralOf, toYesNo } from './parameters/choice.ts';
export { locatedValue, toFields } from './parameters/fields.ts';
export {
  invalidParameter,
  isParameterError,
  missingParameter,
  ParameterError,
  type ParameterInfo,
} from './parameters/ParameterError.ts';
export { toKey, toRequiredText, toText } from './parameters/text.ts';
export { toTime } from './parameters/time.ts';
export { toWholeNumber } from './parameters/wholeNumber.ts';
export { toWebAddress } from './parameters/webAddress.ts';
