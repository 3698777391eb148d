import { isWebhookVerificationError, verifyWebhook } from '@qr-service/core';
import { html } from 'hono/html';
import type { Attempt } from '../store/records.ts';
import type { Html } from './ui.ts';

/** Whether a receiver accepts an attempt's signature, and why not. @param rawBody as it was sent */
export function signatureVerdict({ headers, startedAt }: Attempt, rawBody: string, secret: string): Html {
  try {
    verifyWebhook({ rawBody, headers, secret, now: () => startedAt });
    return html`<p class="notice good">✓ <b>Valid signature.</b></p>`;
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    return html`<p class="notice bad">✗ <b>Receivers reject it:</b> ${error.code}. ${error.message}</p>`;
  }
}
