/** The main entry point: the client for Node, its errors, and the verifier and signer of webhooks. */
export { QrServiceClient } from './QrServiceClient.ts';
export type { ClientOptions } from './client/configuration.ts';
export { createTransport, type HttpHelper, type StreamedResponse } from './client/createTransport.ts';
export { idempotencyKeyFrom } from './client/idempotencyKey.ts';
export type { Paginated } from './client/Paginated.ts';
export type { CreateCallOptions, QrCodeQuery, RenderOptions } from './client/QrCodes.ts';
export type { CallOptions } from './client/RequestExecutor.ts';
export type { RetryOptions } from './client/retry.ts';
export type { ScanQuery } from './client/Scans.ts';
export type * from './client/transport.ts';
export type { UnsubscribeResult, WebhookSubscriptionInput } from './client/Webhooks.ts';
export { undiciTransport, type UndiciTransportOptions } from './undici.ts';

export type { ErrorCode } from './contract/errorCodes.ts';
export {
  EVENT_TYPES,
  type EventType,
  type FeedbackEvent,
  type OtherEvent,
  type QrCodeEvent,
  type WebhookEvent,
} from './contract/events.ts';
export type { AuthHeader } from './contract/headers.ts';
export { SCOPES, type Scope } from './contract/scopes.ts';
export type * from './contract/types.ts';

export { ApiError } from './errors/ApiError.ts';
export type { QrServiceErrorCode, TransportFailure, VerificationFailure } from './errors/codes.ts';
export {
  isApiError,
  isQrServiceError,
  isTransportError,
  isWebhookVerificationError,
} from './errors/guards.ts';
export { QrServiceError } from './errors/QrServiceError.ts';
export { TransportError } from './errors/TransportError.ts';
export { WebhookVerificationError } from './errors/WebhookVerificationError.ts';

export { signWebhook, type SignInput } from './webhook/signature.ts';
export { verifyWebhook, type VerifiedDelivery, type VerifyInput } from './webhook/verifyWebhook.ts';

export type { RateLimit, WireHeaders } from './wire/headers.ts';
