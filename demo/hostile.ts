import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { signWebhook } from '@qr-service/core';
import type { DeliveryRecord } from 'qr-service-emulator';
import type { RemoteControl } from '../engines/emulator/process.ts';
import type { EventListeners, Outcome } from './events.ts';

/** A delivery that must not start a run, and what happened to it. */
export interface HostileDelivery {
  what: string;
  outcome: Outcome;
}

/** Sends each platform deliveries that must not start a run: duplicates, a forged one and a stale one. */
export async function sendHostileDeliveries(
  control: RemoteControl,
  listeners: EventListeners,
  receiverPort: number,
): Promise<HostileDelivery[]> {
  await control.settled();
  const delivered = (await control.deliveries()).filter(({ eventType }) => eventType === 'qr.published');
  const subscriptions = await control.subscriptions();
  const hostile: HostileDelivery[] = [];

  for (const platform of ['n8n', 'Zapier'] as const) {
    const genuine = delivered.find(({ id }) => listeners.outcomes.get(id)?.platform === platform);
    if (genuine === undefined) continue;
    const secret = subscriptions.find(({ id }) => id === genuine.subscriptionId)?.secret ?? '';
    const addOutcome = async (what: string, id: string) => {
      const outcome = await waitFor(() => listeners.outcomes.get(id));
      hostile.push({ what, outcome });
    };

    listeners.outcomes.delete(genuine.id);
    await control.redeliver(genuine.id);
    await addOutcome('duplicate: the same delivery again', genuine.id);

    const secondId = await control.redeliver(genuine.id, { newDeliveryId: true });
    await addOutcome('duplicate: the same event, new delivery ID', secondId);

    const forgedId = `forged-${platform}`;
    await post(receiverPort, genuine, forgedId, 'a made-up secret', 0);
    await addOutcome('forged: signed with a made-up secret', forgedId);

    const staleId = `stale-${platform}`;
    await post(receiverPort, genuine, staleId, secret, 2 * 60 * 60);
    await addOutcome('stale: signed two hours ago', staleId);
  }
  return hostile;
}

/** Posts a delivery's event with a new event ID, delivery ID and signature. */
async function post(
  port: number,
  genuine: DeliveryRecord,
  id: string,
  secret: string,
  ageSeconds: number,
): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  const url = new URL(genuine.url);
  // The new ID rules out deduplication, so only signature verification can reject it.
  const body = JSON.stringify({ ...(JSON.parse(genuine.body) as object), id: `evt_${id}` });
  const headers = {
    Host: url.host,
    'Content-Type': 'application/json',
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Signature': signWebhook({ body, secret, timestamp }),
    'X-Service-Delivery': id,
    'X-Service-Event': genuine.eventType,
  };
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const outgoing = request(
    { host: '127.0.0.1', port, path: url.pathname, method: 'POST', headers },
    (response) => {
      response.resume().on('end', resolve);
    },
  );
  outgoing.on('error', reject).end(body);
  await promise;
}

async function waitFor<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await delay(10);
  }
}
