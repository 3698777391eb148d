import { randomBytes } from 'node:crypto';
import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { describeError, headerNames, sampleEvent, signWebhook, type EventType } from '../../core.ts';
import { postToSelf, REMEDY, requireReachable } from './ownAddress.ts';

/** Milliseconds before each attempt. n8n knows the secret only a moment after the node is done. */
const WAITS_MS = [100, 200, 400, 800, 1600, 3200];

interface Sample {
  type: EventType;
  deliveryId: string;
  /** The envelope, as JSON. */
  body: string;
}

/**
 * Sends a signed sample to the node's own URL as soon as n8n can verify it, and returns the signing secret. The engine
 * offers no other way to start a test. A failed delivery is logged: by then, n8n can't show an error.
 * @throws NodeOperationError if n8n doesn't reach itself at this URL
 */
export async function startSample(context: IHookFunctions, url: string, type: EventType): Promise<string> {
  await requireReachable(context, url);
  const secret = randomBytes(32).toString('hex');
  void deliver(context, url, freshSample(type), secret).then((problem) => {
    if (problem === undefined) return;
    context.logger.warn(
      `The sample event could not be delivered to ${url}, this n8n's own address: ${problem} ` +
        `If the test is still listening, stop it and start it again. ${REMEDY}`,
    );
  });
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
  let problem: string | undefined;
  for (const waitMs of WAITS_MS) {
    await sleep(waitMs);
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      [names.timestamp]: String(timestamp),
      [names.signature]: signWebhook({ body, secret, timestamp }),
      [names.delivery]: deliveryId,
      [names.event]: type,
    };
    problem = await postToSelf(context, url, headers, body).then(
      ({ status }) => (status >= 200 && status < 300 ? undefined : `it responded with status ${status}.`),
      (error: unknown) => describeError(error).message,
    );
    if (problem === undefined) return undefined;
  }
  return problem;
}
