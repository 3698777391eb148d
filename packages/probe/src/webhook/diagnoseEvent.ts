import { Buffer } from 'node:buffer';
import { isWebhookVerificationError, signWebhook, verifyWebhook } from '@qr-service/core';
import { headerNames, showText } from '@qr-service/core/connector';
import type { Finding } from '../findings/Finding.ts';
import { ANY_AGE, finding } from './judge.ts';

/** Checks the event. */
export function checkEvent(body: Uint8Array): Finding {
  const event = parseEvent(body);
  return typeof event === 'string'
    ? finding('event', 'Event in the body', 'fails', { value: 'unreadable', explanation: event })
    : finding('event', 'Event in the body', 'works', { value: showText(event.type, 60) });
}

function problemOf(body: Uint8Array): string {
  if (body.length === 0) return 'it is empty';
  const text = Buffer.from(body).toString('utf8');
  if (!Buffer.from(text).equals(Buffer.from(body))) return "it isn't in UTF-8";
  if (text.startsWith('\uFEFF')) return 'it starts with a byte order mark';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return "it isn't a JSON object";
    const missing = ['id', 'type'].filter(
      (name) => typeof (value as Record<string, unknown>)[name] !== 'string',
    );
    return missing.length === 0
      ? 'its ID or type is empty, or it is nested too deeply'
      : `it has no ${missing.join(' and no ')}`;
  } catch {
    return "it isn't JSON";
  }
}

/** The event, or why the connector can't read it. */
export function parseEvent(body: Uint8Array): { type: string } | string {
  // Any secret will do: only the body is of interest here.
  const header = signWebhook({ body, secret: 'any', timestamp: 1 });
  try {
    return verifyWebhook({
      rawBody: body,
      headers: { [headerNames().signature]: header },
      secret: 'any',
      toleranceSeconds: ANY_AGE,
      now: () => 0,
    }).event;
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    return `The body isn't a valid event: ${problemOf(body)}.`;
  }
}
