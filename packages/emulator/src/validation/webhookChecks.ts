import { checkWebhookUrl } from '@qr-service/core/webhook';
import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { isStorable, type FieldCheck } from './checks.ts';

/** Checks for a URL that the service delivers to. */
export const isWebhookUrl: FieldCheck = (value) => {
  const problem = typeof value === 'string' ? checkWebhookUrl(value) : 'It is not a string.';
  return problem === undefined
    ? isStorable(value)
    : `must be HTTPS on a public host (${problem.replace(/\.$/, '')})`;
};

/** Checks for a list of event types. */
export const isEventTypeList: FieldCheck = (value) => {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list of at least one event name';
  const unknown = value.filter((type) => !EVENT_TYPES.includes(type as EventType));
  return unknown.length === 0 ? undefined : `has unknown events: ${unknown.map(String).join(', ')}`;
};
