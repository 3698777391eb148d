/** What every connector needs besides the client: the entry point `@qr-service/core/connector`. */
export { readApiKey } from '../client/configuration.ts';
export { fileStem } from '../client/fileStem.ts';
export { PlatformClient } from '../client/PlatformClient.ts';

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

export { describeError, unconfirmedCreation } from './errors/describeError.ts';

export { CONNECTION_INPUTS, readConnection, type Connection } from './inputs/connection.ts';
export { ACTIONS, INPUTS, MATCH_BY, type InputDefinition } from './inputs/definitions.ts';
export { invalidParameter, isParameterError, ParameterError } from './inputs/ParameterError.ts';
export { toKey, toNewName, toRequiredText, toText } from './inputs/text.ts';
export { withUrlParameters } from './inputs/urlParameters.ts';
export { toOneOf, toTime, toWholeNumber, toYesNo } from './inputs/values.ts';
export { toWebAddress } from './inputs/webAddress.ts';

export { CodeFinder } from './qrCodes/CodeFinder.ts';
export { CodeMemory } from './qrCodes/CodeMemory.ts';
export { CodeUpserter, conflictingRows, UPSERT_OUTCOMES, type UpsertRow } from './qrCodes/CodeUpserter.ts';
export { inOrder, turns } from './qrCodes/inOrder.ts';
export { describeNotPublished, isNotPublishedError, NotPublishedError } from './qrCodes/NotPublishedError.ts';
export {
  codeLabel,
  foldCase,
  hasStatus,
  inOutputOrder,
  KNOWN_STATUSES,
  normalize,
  targetUrlOf,
} from './qrCodes/qrCode.ts';
export { notVisible } from './qrCodes/qrCodeErrors.ts';
export { readCodeReference } from './qrCodes/reference.ts';
export { createAndPublish, publishCode, publishDraft, retargetCode } from './qrCodes/writes.ts';

export { checkPeriod, ScanCounter, type ScanFilter } from './ScanCounter.ts';
export { readScannedCodes, scannedCodeId } from './scannedCodes.ts';
export { newestFirst, recentCodes, recentRows, SAMPLE_ROWS } from './recentRows.ts';
