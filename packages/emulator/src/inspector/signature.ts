import { BRAND, headerNames } from '@qr-service/core/connector';
import {
  isWebhookVerificationError,
  signWebhook,
  verifyWebhook,
  type WebhookVerificationError,
} from '@qr-service/core';
import { html } from 'hono/html';
import type { Attempt } from '../store/records.ts';
import { facts, type Html } from './ui.ts';

const { signature } = headerNames(BRAND.headerPrefix);

/** What a receiver compares to verify an attempt's signature, and its verdict. @param body as it was sent */
export function signatureVerdict({ headers, startedAt }: Attempt, body: string, secret: string): Html {
  const refusal = refusalOf({ rawBody: body, headers, secret, now: () => startedAt });
  const header = headers[signature];
  const verdict =
    refusal === undefined
      ? html`<p class="notice good">✓ <b>Valid signature.</b> Both values below match.</p>`
      : html`<p class="notice bad">✗ <b>Receivers reject it:</b> ${refusal.code}. ${refusal.message}</p>`;
  if (header === undefined) return verdict;
  const timestamp = Number(/\bt=(\d+)/.exec(header)?.[1]);
  return html`${verdict}
  ${facts([
    ['Signed text: the timestamp, a dot and the body', html`<code>${timestamp}.${body}</code>`],
    ['Its HMAC-SHA256, in hex', html`<code>${v1Of(signWebhook({ body, secret, timestamp }))}</code>`],
    [`v1 in ${signature}`, html`<code>${v1Of(header)}</code>`],
  ])}`;
}

function v1Of(header: string): string {
  return /v1=([^,]*)/.exec(header)?.[1] ?? '(missing)';
}

function refusalOf(delivery: Parameters<typeof verifyWebhook>[0]): WebhookVerificationError | undefined {
  try {
    verifyWebhook(delivery);
    return undefined;
  } catch (error) {
    if (isWebhookVerificationError(error)) return error;
    throw error;
  }
}
