/** The main entry point: the client, its errors, and the verifier and signer of webhooks. */
export { QrServiceClient } from './client/QrServiceClient.ts';
export type { ClientOptions } from './client/configuration.ts';
export type { Paginated } from './client/Paginated.ts';
export type { CallOptions } from './client/RequestExecutor.ts';
export type { Sleep, Transport, TransportRequest, TransportResponse } from './client/transport.ts';
export type { UnsubscribeResult } from './client/Webhooks.ts';

export type { ErrorCode } from './contract/errorCodes.ts';
export { EVENT_TYPES, type EventType, type WebhookEvent } from './contract/events.ts';
export { SCOPES, type Scope } from './contract/scopes.ts';
export type {
  Account,
  ImageFormat,
  Page,
  QrCode,
  QrCodeInput,
  RenderedImage,
  ScanRow,
  WebhookSubscription,
} from './contract/types.ts';

export { ApiError } from './errors/ApiError.ts';
export {
  isApiError,
  isQrServiceError,
  isTransportError,
  isWebhookVerificationError,
} from './errors/guards.ts';
export type { QrServiceErrorCode, TransportFailure, VerificationFailure } from './errors/codes.ts';
export { QrServiceError, TransportError } from './errors/QrServiceError.ts';

export { signWebhook } from './webhook/signature.ts';
export { verifyWebhook, type VerifiedDelivery } from './webhook/verifyWebhook.ts';

export type { RateLimit, WireHeaders } from './wire/headers.ts';
