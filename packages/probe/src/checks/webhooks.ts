import { isApiError } from '@qr-service/core';
import { differs, fails, unknown, works, type Outcome } from '../findings/Finding.ts';
import { REQUEST_MS } from '../http/Recorder.ts';
import { diagnose } from '../webhook/diagnose.ts';
import { KNOCK_HEADER, type Delivery } from '../webhook/Receiver.ts';
import { explain, failed, statusOf, type Probe } from './Probe.ts';

/** A public host that nothing listens to, and an event that won't happen. */
const NOWHERE = {
  url: 'https://example.com/qr-service-probe-safe-to-delete',
  eventTypes: ['bulk.completed'],
};
/** What the probe's own codes cause. */
const EVENTS = ['qr.created', 'qr.published'];
/** How long a delivery is waited for at least, and how long a valid one after one that isn't, in milliseconds. */
const MIN_WAIT_MS = 15_000;
const OTHERS_WAIT_MS = 5000;
const POLL_MS = 250;

/** Subscribes before anything is created, so that the creation is an event. */
export async function checkSubscribe(probe: Probe): Promise<Outcome> {
  const { client, ledger, recorder, webhook, known } = probe;
  const input = webhook === undefined ? NOWHERE : { url: webhook.url, eventTypes: EVENTS };
  try {
    const subscribe = () => client.webhooks.subscribe(input);
    known.subscription = await ledger.create('subscription', input.url, subscribe);
    recorder.secrets.add(known.subscription.secret);
    return works(`${statusOf(probe, '/webhooks')}, with a signing secret`);
  } catch (error) {
    // Some services want a URL that responds, or other events.
    if (webhook !== undefined || !isApiError(error) || error.code !== 'validation_failed') throw error;
    const refused = "The service rejected the probe's own URL or event type.";
    return unknown(`${refused} ${explain(error)} Run the probe again with --webhook.`, 'refused');
  }
}

/** Waits for a delivery through the user's tunnel, and verifies it. */
export async function checkDelivery(probe: Probe): Promise<Outcome> {
  const { now, recorder, webhook } = probe;
  if (webhook === undefined) throw new Error('There is no receiver.');
  const { deliveries, knocks, port } = webhook.receiver;
  recorder.extend(REQUEST_MS);
  const visit = await recorder.visit(webhook.url, { [KNOCK_HEADER]: '1' });
  const startedAt = now();
  recorder.extend(MIN_WAIT_MS);
  let end = startedAt + recorder.leftMs;
  let refused: Outcome | undefined;
  let read = 0;
  while (now() < end && !recorder.isOver) {
    const delivery = deliveries[read];
    if (delivery === undefined) {
      await recorder.sleep(POLL_MS);
      continue;
    }
    read++;
    const { event, outcome } = judge(probe, delivery);
    if (event !== undefined && EVENTS.includes(event)) return outcome;
    // A service may send a test of its own first, and earlier subscriptions deliver here, too.
    if (event !== undefined || refused !== undefined) continue;
    refused = outcome;
    end = Math.min(end, now() + OTHERS_WAIT_MS);
  }
  if (refused !== undefined) return refused;
  const { host } = new URL(webhook.url);
  const nothing = `No delivery arrived within ${Math.round((now() - startedAt) / 1000)} s.`;
  if (knocks.length > 0)
    return fails(
      'nothing arrived',
      `${nothing} The tunnel works, so the service hasn't delivered. Check the subscription's deliveries in the service's app: they may be late, or rejected by ${host}.`,
    );
  const local = `http://127.0.0.1:${port}`;
  return unknown(
    visit === undefined
      ? `${nothing} This machine couldn't reach ${host}, either: check that the tunnel is running and forwards to ${local}.`
      : `${nothing} ${host} responds, but doesn't forward to this machine: start the tunnel to ${local} and run the probe again.`,
    'nothing arrived',
  );
}

/** The type of a genuine delivery's event, and what the delivery shows. */
function judge({ known, now }: Probe, delivery: Delivery): { event?: string; outcome: Outcome } {
  const secret = known.subscription?.secret ?? '';
  const { steps, event } = diagnose({ delivery, secret, now, isLive: true });
  if (event !== undefined) return { event, outcome: works(`${event}, signature valid`) };
  const { value = '', explanation = '' } = steps.find(({ verdict }) => verdict === 'fails') ?? {};
  return { outcome: fails(value, explanation) };
}

const REMOVE = 'Delete subscriptions in the app when you turn off a trigger.';

/** Unsubscribes, even if the probe was stopped. No endpoint for it is documented (docs/api.md#webhook-subscriptions). */
export async function checkUnsubscribe(probe: Probe): Promise<Outcome> {
  const { client, known, ledger } = probe;
  const { id = '' } = known.subscription ?? {};
  const status = () => statusOf(probe, `/webhooks/${encodeURIComponent(id)}`);
  try {
    // 202: it was accepted, and nobody has seen it done.
    const isDone = () => status() !== 'status 202';
    const result = await ledger.remove(id, () => client.webhooks.unsubscribe(id), isDone);
    if (result === 'removed') return works(`${isDone() ? 'removed' : 'accepted'}, ${status()}`);
    if (result === 'unsupported')
      return differs(`not supported, ${status()}`, `${REMOVE} The connectors remind you.`);
    return fails(status(), `It was just created, but the connectors read this as already deleted. ${REMOVE}`);
  } catch (error) {
    const { verdict, explanation = '' } = failed(error);
    return { verdict, value: 'not removed', explanation: `${explanation} ${REMOVE}` };
  }
}
