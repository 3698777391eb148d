import { LIMITS } from '@qr-service/core/connector';
import { html } from 'hono/html';
import type { Html } from '../html/parts.ts';
import { explainSignature, type SignatureStep, type SignedMessage } from './explainSignature.ts';

/** A receiver's verification of a signature, step by step, with the result. @param now milliseconds since the epoch */
export function signatureSteps(message: SignedMessage, now: number): Html {
  const { steps, refusal } = explainSignature(message);
  return html`<ol class="steps">
      ${steps.map((step) => stepItem(step))}
    </ol>
    <p class="verdict ${refusal === undefined ? 'good' : 'bad'}">
      ${
        refusal === undefined
          ? html`<strong>✓ Valid signature.</strong> ${replayNote(message, now)}`
          : html`<strong>✗ Receivers reject it:</strong> <code>${refusal}</code>`
      }
    </p>`;
}

function stepItem({ title, ok, note, values }: SignatureStep): Html {
  return html`<li class="${ok ? 'good' : 'bad'}">
    <p class="step-title">
      <span class="mark" aria-hidden="true">${ok ? '✓' : '✗'}</span
      ><span class="sr">${ok ? 'Passed: ' : 'Failed: '}</span>${title}
    </p>
    <p class="quiet">${note}</p>
    ${values.map(
      ([name, value]) =>
        html`<p class="value">
          <span class="quiet small">${name}</span
          ><code tabindex="0" role="region" aria-label="${name}">${value}</code>
        </p>`,
    )}
  </li>`;
}

/** When receivers reject a replay of this delivery. */
function replayNote({ sentAt }: SignedMessage, now: number): string {
  const tolerance = LIMITS.signatureToleranceSeconds;
  return now - sentAt > tolerance * 1000
    ? `A replay would be rejected now, because the signature is more than ${tolerance} s old.`
    : `Receivers reject a replay once the signature is ${tolerance} s old. Until then, they recognize it by its IDs.`;
}
