import { EVENT_TYPES, type EventType } from '@qr-service/core';
import type { EmulatorOptions } from 'qr-service-emulator';
import { startReceiver, type RespondToDelivery, type Receiver } from './receiver.ts';
import { startService, type Service } from './service.ts';

/** Public host under which the receiver is known. */
export const HOST = 'hooks.example.com';

/** An emulator and a receiver that is subscribed to every event. */
interface Subscribed extends Service {
  receiver: Receiver;
  /** Signs the deliveries to the latest subscription. */
  secret: string;
  /** Subscribes the receiver again and returns the subscription's ID. */
  subscribe: (...types: EventType[]) => Promise<string>;
}

/** Starts both, until the end of the test. */
export async function startSubscribed(
  respond?: RespondToDelivery,
  options: EmulatorOptions = {},
): Promise<Subscribed> {
  const receiver = await startReceiver(respond);
  const service = await startService({ retryBaseMs: 5, ...options, connectTo: { [HOST]: receiver.address } });
  const both = { ...service, receiver, secret: '', subscribe };
  async function subscribe(...types: EventType[]): Promise<string> {
    const body = { url: `https://${HOST}/in?box=1`, eventTypes: types.length === 0 ? EVENT_TYPES : types };
    const { json } = await service.call('POST', '/webhooks', { body });
    both.secret = String(json['secret']);
    return String(json['id']);
  }
  await subscribe();
  return both;
}
