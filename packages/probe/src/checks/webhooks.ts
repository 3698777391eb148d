import type { QrServiceClient } from '@qr-service/core';
import { readSubscription } from '@qr-service/core/connector';
import { newIdempotencyKey } from '../http/Connection.ts';
import { isSuccess, type Exchange } from '../http/Exchange.ts';
import { isFieldName, isSecretName, showName } from '../http/redact.ts';
import { isObject } from './listForm.ts';
import { CheckEnded, type Probe } from './Probe.ts';

/** A public host that nothing listens to. The subscription is removed right away. */
const HOOK = { url: 'https://example.com/qr-service-probe-safe-to-delete', eventTypes: ['bulk.completed'] };
const PATH = '/webhooks';
const UNSUBSCRIBED = [200, 204, 404, 405, 410, 501] as const;

/** Subscribes, and unsubscribes. */
export async function checkWebhooks(probe: Probe): Promise<void> {
  const exchange = await probe.send({
    method: 'POST',
    path: PATH,
    body: HOOK,
    idempotencyKey: newIdempotencyKey(),
  });
  const refusal = await probe.failureOf(exchange);
  if (refusal?.code === 'validation_failed') {
    // Some services want an address that responds, or other events.
    const explanation = `The service refused the probe's own address or event. ${probe.explain(refusal)} Run the probe again with --webhook.`;
    const from = [exchange];
    probe.answer('webhooks.subscription', { verdict: 'unknown', value: 'refused', explanation, from });
    probe.repeat(exchange);
    throw new CheckEnded(explanation);
  }
  await probe.requireSuccess('webhooks.subscription', exchange);
  const id = readSubscription(exchange.json)?.id;
  const removal = id === undefined ? undefined : await checkUnsubscribe(probe, id);
  // Without a secret, the connector removes the subscription.
  await checkSubscription(probe, removal === undefined ? [exchange] : [exchange, removal]);
}

async function checkSubscription(
  probe: Probe,
  exchanges: readonly [subscribed: Exchange, removed?: Exchange],
): Promise<void> {
  const [exchange] = exchanges;
  const subscribe = (client: QrServiceClient) => client.webhooks.subscribe(HOOK);
  const { result, error } = await probe.read(exchanges as readonly Exchange[], subscribe);
  const place = secretsIn(exchange.json).find(({ value }) => value === result?.secret);
  const form = formOf(exchange.json);
  if (form !== undefined) probe.wireShape.subscription = form;
  const from = [exchange];
  const isReadable = readSubscription(exchange.json) !== undefined;
  probe.answer('webhooks.subscription', {
    verdict: isReadable ? 'works' : 'fails',
    value: form ?? 'another form',
    explanation: isReadable ? undefined : probe.explain(error),
    from,
  });
  if (result !== undefined && place !== undefined) {
    if (isFieldName(place.name)) probe.wireShape.secretKey = place.name;
    probe.answer('webhooks.secret', { verdict: 'works', value: showName(place.name), from });
    return;
  }
  const guesses = secretsIn(exchange.json).map(({ name }) => name);
  const [guess, other] = guesses;
  if (form !== undefined && guess !== undefined && other === undefined && isFieldName(guess))
    probe.wireShape.secretKey = guess;
  else probe.repeat(exchange);
  probe.answer('webhooks.secret', {
    verdict: 'fails',
    value: guess === undefined ? 'not found' : `maybe ${guesses.map(showName).join(', ')}`,
    explanation: `Instant triggers can't be switched on. ${probe.explain(error)}`,
    from,
  });
}

/** Removes a subscription the way the connector does, even if the probe was stopped. */
async function checkUnsubscribe(probe: Probe, id: string): Promise<Exchange | undefined> {
  let exchange: Exchange;
  try {
    exchange = await probe.connection.sendLast({
      method: 'DELETE',
      path: `${PATH}/${encodeURIComponent(id)}`,
    });
  } catch (error) {
    probe.answer('webhooks.unsubscribe', { verdict: 'fails', explanation: probe.explain(error) });
    return undefined;
  }
  const { result, error } = await probe.read([exchange], (client) => client.webhooks.unsubscribe(id));
  const { status } = exchange;
  const known = UNSUBSCRIBED.find((each) => each === status);
  if (known !== undefined) probe.wireShape.unsubscribe = known;
  if (!isSuccess(exchange) && (known === undefined || exchange.json === undefined)) probe.repeat(exchange);
  const values: Record<string, string> = {
    removed: `${status === 202 ? 'accepted' : 'removed'}, status ${status}`,
    unsupported: `not supported, status ${status}`,
  };
  const explanations: Record<string, string> = {
    unsupported:
      'When a trigger is switched off, the connector tells the user to remove the subscription in the app.',
    'already-gone':
      'The subscription had just been created, but the connector takes this response for its removal. Remove subscriptions in the app when a trigger is switched off.',
    failed: `The subscription can't be removed. ${probe.explain(error)}`,
  };
  const outcome = result ?? 'failed';
  probe.answer('webhooks.unsubscribe', {
    verdict: outcome in values ? 'works' : 'fails',
    value: values[outcome] ?? `status ${status}`,
    explanation: explanations[outcome],
    from: [exchange],
  });
  return exchange;
}

/** Texts in fields that are named like a secret, at the top and one level down. */
export function secretsIn(json: unknown): { name: string; value: string }[] {
  if (!isObject(json)) return [];
  return [json, ...Object.values(json).filter(isObject)].flatMap((level) =>
    Object.entries(level).flatMap(([name, value]) =>
      isSecretName(name) && typeof value === 'string' && value !== '' ? [{ name, value }] : [],
    ),
  );
}

function formOf(json: unknown): 'flat' | 'wrapped' | 'beside' | 'webhook' | 'webhook beside' | undefined {
  if (!isObject(json)) return undefined;
  const hasSecret = (level: object) => Object.keys(level).some(isSecretName);
  if (Object.hasOwn(json, 'id')) return 'flat';
  const wrapper = Object.keys(json).find((key) => isObject(json[key]) && Object.hasOwn(json[key], 'id'));
  if (wrapper === undefined) return undefined;
  const isBeside = hasSecret(json);
  if (wrapper === 'subscription') return isBeside ? 'beside' : 'wrapped';
  // Wrappers that the connector knows by name aren't among the forms.
  if (wrapper === 'data' || wrapper === 'qr') return undefined;
  return isBeside ? 'webhook beside' : 'webhook';
}
