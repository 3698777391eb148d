import { randomBytes } from 'node:crypto';
import { NodeOperationError, sleep, type IHookFunctions } from 'n8n-workflow';
import { describeError, sampleEvent, SERVICE_HEADERS, signWebhook, type EventType } from '../../deps.ts';
import { setText } from '../platform/errors.ts';

/** Milliseconds before each attempt. n8n knows the secret only a moment after the node is done. */
const WAITS_MS = [100, 200, 400, 800, 1600, 3200];

const ADVICE =
  'Set N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to a URL where n8n can reach itself, or remove it, then restart n8n.';

/** Of every request to n8n itself. Any response means that it is reached. */
const OPTIONS = {
  timeout: 5000,
  returnFullResponse: true,
  ignoreHttpStatusErrors: true,
  disableFollowRedirect: true,
};

/**
 * Sends a signed sample to the node's own URL as soon as n8n can verify it, and returns the signing secret. Throws if n8n can't
 * reach itself. If it then refuses the sample, that is logged: by then, n8n can't show an error.
 */
export async function startSample(context: IHookFunctions, url: string, type: EventType): Promise<string> {
  await context.helpers.httpRequest({ url, ...OPTIONS }).catch((error: unknown) => {
    const message = `n8n can't reach itself at ${new URL(url).origin}, so no sample can be delivered: ${describeError(error).message}`;
    const nodeError = new NodeOperationError(context.getNode(), message);
    setText(nodeError, { message, description: ADVICE });
    throw nodeError;
  });
  const secret = randomBytes(32).toString('hex');
  void deliver(context, url, type, secret);
  return secret;
}

/** Sends the sample until it is accepted. If it never is, the log says why. */
async function deliver(context: IHookFunctions, url: string, type: EventType, secret: string): Promise<void> {
  // New IDs: with the last test's, it would be a duplicate.
  const suffix = randomBytes(6).toString('hex');
  const event = { ...sampleEvent(type), id: `evt_sample_${suffix}`, occurredAt: new Date().toISOString() };
  const body = JSON.stringify(event);
  let problem = '';
  for (const waitMs of WAITS_MS) {
    await sleep(waitMs);
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'Content-Type': 'application/json',
      [SERVICE_HEADERS.timestamp]: String(timestamp),
      [SERVICE_HEADERS.signature]: signWebhook({ body, secret, timestamp }),
      [SERVICE_HEADERS.delivery]: `dlv_sample_${suffix}`,
      [SERVICE_HEADERS.event]: type,
    };
    const request = { method: 'POST', url, headers, body, ...OPTIONS } as const;
    try {
      const { statusCode } = (await context.helpers.httpRequest(request)) as { statusCode: number };
      if (statusCode < 300) return;
      problem = `it responded with status ${statusCode}`;
    } catch (error) {
      problem = describeError(error).message;
    }
  }
  context.logger.warn(
    `The sample event could not be delivered to ${url}, this n8n's own URL: ${problem}. ${ADVICE}`,
  );
}
