import { EVENTS, type EventType, type WebhookEvent } from '../contract/events.ts';

/** Example of an event, whole envelope, for the tests of an editor. */
export function sampleEvent(type: EventType): WebhookEvent {
  return {
    id: `evt_sample_${type.replaceAll('.', '_')}`,
    type,
    workspaceId: 'ws_sample',
    occurredAt: '2026-01-15T09:30:00.000Z',
    data: structuredClone<Record<string, unknown>>(EVENTS[type].sampleData),
  };
}
