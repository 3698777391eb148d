import { randomBytes } from 'node:crypto';
import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { EVENT_TYPES, headerNames, sampleEvent, signWebhook, type EventType } from '../../core.ts';

/** Milliseconds before each attempt. n8n listens and knows the secret only a moment after the node is done. */
const WAITS_MS = [100, 200, 400, 800, 1600, 3200];

interface Sample {
  type: EventType;
  deliveryId: string;
  /** The envelope, as JSON. */
  body: string;
}

/**
 * Sends a signed sample of the first event type to the node's own URL as soon as n8n listens there, and returns the
 * signing secret. Failures are logged.
 */
export function startSample(context: IHookFunctions, url: string, eventTypes: readonly string[]): string {
  const secret = randomBytes(32).toString('hex');
  const type = EVENT_TYPES.find((known) => eventTypes.includes(known)) ?? 'qr.created';
  void deliver(context, url, freshSample(type), secret).then(
    (problem) => problem === undefined || logFailure(context, url, problem),
    (error: unknown) => logFailure(context, url, error instanceof Error ? error.message : 'no answer'),
  );
  return secret;
}

/** A sample with the current time and new IDs: with the last test's IDs it would be a duplicate. */
function freshSample(type: EventType): Sample {
  const suffix = randomBytes(6).toString('hex');
  const event = { ...sampleEvent(type), id: `evt_sample_${suffix}`, occurredAt: new Date().toISOString() };
  return { type, deliveryId: `dlv_sample_${suffix}`, body: JSON.stringify(event) };
}

/** Sends the sample until it is accepted. Returns why it never was. */
async function deliver(
  context: IHookFunctions,
  url: string,
  { type, deliveryId, body }: Sample,
  secret: string,
): Promise<string | undefined> {
  const names = headerNames();
  let status = 0;
  for (const waitMs of WAITS_MS) {
    await sleep(waitMs);
    const timestamp = Math.floor(Date.now() / 1000);
    const response = (await context.helpers.httpRequest({
      method: 'POST',
      url,
      headers: {
        'Content-Type': 'application/json',
        [names.timestamp]: String(timestamp),
        [names.signature]: signWebhook({ body, secret, timestamp }),
        [names.delivery]: deliveryId,
        [names.event]: type,
      },
      body,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    })) as { statusCode: number };
    status = response.statusCode;
    if (status >= 200 && status < 300) return undefined;
  }
  return `status ${status}`;
}

function logFailure(context: IHookFunctions, url: string, problem: string): void {
  context.logger.warn(`The sample event did not get to ${url}, this n8n's own address: ${problem}.`);
}
