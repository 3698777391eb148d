import { isApiError, type UnsubscribeResult } from '@qr-service/core';
import { differs, fails, unknown, works, type Outcome } from '../findings/Finding.ts';
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
    // Some services want an address that responds, or other events.
    if (webhook !== undefined || !isApiError(error) || error.code !== 'validation_failed') throw error;
    const refused = "The service refused the probe's own address or event.";
    return unknown(`${refused} ${explain(error)} Run the probe again with --webhook.`, 'refused');
  }
}

/** Waits for a delivery through the user's tunnel, and verifies it. */
export async function checkDelivery(probe: Probe): Promise<Outcome> {
  const { now, recorder, webhook } = probe;
  if (webhook === undefined) throw new Error('There is no receiver.');
  const { deliveries, knocks, port } = webhook.receiver;
  const visit = await recorder.visit(webhook.url, { [KNOCK_HEADER]: '1' });
  const startedAt = now();
  recorder.extend(MIN_WAIT_MS);
  let end = startedAt + recorder.leftMs;
  let refused: Outcome | undefined;
  for (let read = 0; now() < end && !recorder.isOver;) {
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
  const nothing = `No delivery came within ${Math.round((now() - startedAt) / 1000)} s.`;
  if (knocks.length > 0)
    return fails(
      'nothing came',
      `${nothing} The tunnel leads here, so the service hasn't sent one that arrived. Look at the subscription's deliveries in the service's app: it may be slow, or refused by ${host}.`,
    );
  const local = `http://127.0.0.1:${port}`;
  return unknown(
    visit === undefined
      ? `${nothing} This machine couldn't reach ${host}, either: check that the tunnel runs and leads to ${local}.`
      : `${nothing} ${host} responds, but not from here: start the tunnel to ${local} and run the probe again.`,
    'nothing came',
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

const REMOVE = 'Remove subscriptions in the app when a trigger is switched off.';

/** Unsubscribes, even if the probe was stopped. The API text shows no endpoint for it. */
export async function checkUnsubscribe(probe: Probe): Promise<Outcome> {
  const { client, known, ledger } = probe;
  const { id = '' } = known.subscription ?? {};
  const status = () => statusOf(probe, `/webhooks/${encodeURIComponent(id)}`);
  try {
    // 202: it was accepted, and nobody has seen it done.
    const isDone = () => status() !== 'status 202';
    const result = await ledger.remove(id, () => client.webhooks.unsubscribe(id), isDone);
    const outcomes: Record<UnsubscribeResult, Outcome> = {
      removed: works(`${isDone() ? 'removed' : 'accepted'}, ${status()}`),
      unsupported: differs(
        `not supported, ${status()}`,
        `The connectors say so when a trigger is switched off. ${REMOVE}`,
      ),
      'already-gone': fails(
        status(),
        `It had just been created, but the connectors take this response for its removal. ${REMOVE}`,
      ),
    };
    return outcomes[result];
  } catch (error) {
    return fails('not removed', `${failed(error).explanation ?? ''} ${REMOVE}`);
  }
}
