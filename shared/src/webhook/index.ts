/** The entry point `@qr-service/core/webhook`: verifying and signing deliveries, without the client. */
export type { VerificationFailure } from '../errors/codes.ts';
export { isWebhookVerificationError } from '../errors/guards.ts';
export { EVENT_TYPES, type EventType, type WebhookEvent } from '../contract/events.ts';
export { checkWebhookUrl, isPrivateAddress } from './checkWebhookUrl.ts';
export { eventRow, sampleEvent } from './event.ts';
export { signWebhook } from './signature.ts';
export { verifyWebhook, type VerifiedDelivery } from './verifyWebhook.ts';
