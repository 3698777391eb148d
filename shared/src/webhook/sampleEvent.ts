import { EVENTS, type EventType, type WebhookEvent } from '../contract/events.ts';

/**
 * Creates a sample event with its whole envelope, for tests and editor previews.
 * @example
 * ```ts
 * import { sampleEvent } from '@qr-service/core/webhook';
 *
 * const event = sampleEvent('feedback.low_score_received');
 * console.log(event.id, event.data.score); // evt_sample_feedback_low_score_received 3
 * ```
 */
export function sampleEvent(type: EventType): WebhookEvent {
  return {
    id: `evt_sample_${type.replaceAll('.', '_')}`,
    type,
    workspaceId: 'ws_sample',
    occurredAt: '2026-01-15T09:30:00.000Z',
    data: structuredClone<Record<string, unknown>>(EVENTS[type].sampleData),
  };
}
