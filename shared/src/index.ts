export { API_PATH, BRAND } from './contract/brand.ts';
export { ERROR_CODES, isErrorCode, type ErrorCode, type ErrorCodeFacts } from './contract/errorCodes.ts';
export { EVENTS, EVENT_TYPES, eventFields, type EventFacts, type EventType } from './contract/events.ts';
export {
  CODE_EVENT_FIELDS,
  EVENT_ENVELOPE_FIELDS,
  FEEDBACK_EVENT_FIELDS,
  QR_CODE_FIELDS,
  type FieldFacts,
} from './contract/fields.ts';
export { authHeader, headerNames, type AuthHeader, type HeaderNames } from './contract/headers.ts';
export { ANSWER_LIMITS, LIMITS } from './contract/limits.ts';
export { SAMPLE_QR_CODE, SAMPLE_SCAN } from './contract/samples.ts';
export {
  missingScopes,
  OPERATION_SCOPES,
  SCOPES,
  SCOPE_GRANTS,
  type Operation,
  type Scope,
} from './contract/scopes.ts';
export {
  IMAGE_FORMATS,
  type Account,
  type ImageFormat,
  type Page,
  type QrCode,
  type QrCodeInput,
  type RenderedImage,
  type ScanPage,
  type ScanRow,
  type WebhookEvent,
  type WebhookSubscription,
} from './contract/types.ts';

export { ApiError, isApiError } from './client/ApiError.ts';
export { readCodeReference, shortLinkKey, type CodeReference } from './client/codeReference.ts';
export { describeError } from './client/describeError.ts';
export type { ErrorDescription } from './client/explain.ts';
export { idempotencyKeyFrom } from './client/idempotencyKey.ts';
export { readBaseUrl, readHeaderPrefix, type ClientOptions } from './client/configuration.ts';
export type { CallOptions } from './client/pipeline.ts';
export type { QrCodeQuery, RenderOptions } from './client/QrCodes.ts';
export { isNoAnswer } from './client/isNoAnswer.ts';
export { QrServiceClient } from './client/QrServiceClient.ts';
export {
  isQrServiceError,
  QrServiceError,
  type CoreErrorCode,
  type QrServiceErrorCode,
} from './client/QrServiceError.ts';
export { readBody, type UnreadAnswer } from './client/readBody.ts';
export { requestFailed, type RequestFailure } from './client/requestFailed.ts';
export { isRefusal, REFUSED_KEY_ADVICE, type RefusedKeys } from './client/refusals.ts';
export type { RetryOptions } from './client/retry.ts';
export type { ScanQuery } from './client/Scans.ts';
export type { Sleep, Transport, TransportRequest, TransportResponse } from './client/transport.ts';
export { isTransportError, TransportError, type TransportFailure } from './client/TransportError.ts';
export type { Walk } from './client/walk.ts';
export { withPublication } from './client/withPublication.ts';
export type { UnsubscribeResult, WebhookSubscriptionInput } from './client/Webhooks.ts';

export { toOneOf, toSeveralOf, type ChoiceInfo } from './parameters/choice.ts';
export { locatedValue, toFields, toJsonObject } from './parameters/fields.ts';
export {
  invalidParameter,
  isParameterError,
  ParameterError,
  type ParameterInfo,
} from './parameters/ParameterError.ts';
export { showText } from './parameters/showValue.ts';
export { toKey, toRequiredText, toText } from './parameters/text.ts';
export { toTime, type TimeInfo } from './parameters/time.ts';
export { toWholeNumber, type WholeNumberInfo } from './parameters/wholeNumber.ts';
export { toYesNo } from './parameters/yesNo.ts';

export { checkWebhookUrl, isPrivateAddress } from './webhook/checkWebhookUrl.ts';
export type { RequestHeaders } from './webhook/deliveryHeaders.ts';
export { eventRow } from './webhook/eventRow.ts';
export { sampleEvent } from './webhook/sampleEvent.ts';
export { signWebhook, type SignInput } from './webhook/signature.ts';
export { verifyWebhook, type VerifiedDelivery, type VerifyInput } from './webhook/verifyWebhook.ts';
export {
  isWebhookVerificationError,
  WebhookVerificationError,
  type VerificationFailure,
} from './webhook/WebhookVerificationError.ts';

export { codeLabel, normalise } from './wire/codeText.ts';
export { readHeader, type WireHeaders } from './wire/headers.ts';
export { imageMimeType } from './wire/image.ts';
export type { RateLimit } from './wire/rateLimit.ts';
export { scanId, scanRows, scanTime, type IdentifiedScan } from './wire/scan.ts';
export { readTime } from './wire/time.ts';
