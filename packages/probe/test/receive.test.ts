import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { QrServiceClient } from '@qr-service/core';
import { nodeTransport } from '@qr-service/core/node';
import type { Finding } from '../src/findings/Finding.ts';
import { leftText } from '../src/findings/ProbeReport.ts';
import { sampleEvent, signWebhook } from '@qr-service/core/webhook';
import { startEmulator, type Emulator, type EmulatorOptions, type Fault } from 'qr-service-emulator';
import { Ledger } from '../src/http/Ledger.ts';
import { until } from '../../../test/support/jest/until.ts';
import {
  receiveDelivery,
  startReceiver,
  WebhookPortError,
  type Receiver,
  type ReceiveOptions,
} from '../src/webhook/receiveDelivery.ts';

const HOST = 'hooks.example.com';
const SUBSCRIBE = { method: 'POST', path: '/webhooks' } as const;
const CREATE = { method: 'POST', path: '/qr' } as const;
const SUBSCRIBED = /^subscription \w+ is left: https:\/\/hooks\.example\.com\/probe$/;
const MAYBE_SUBSCRIBED = /^subscription \w+ may be left: https:\/\/hooks\.example\.com\/probe$/;
const CREATED = /^code qr_\w+ is left: qr-service-probe, safe to delete, http/;
const EVENT = JSON.stringify(sampleEvent('qr.created'));

let emulator: Emulator | undefined;
afterEach(() => emulator?.stop());

/** An emulator whose deliveries reach the receiver, as through a tunnel. */
async function start(options: EmulatorOptions = {}) {
  const receiver = await startReceiver(0);
  emulator = await startEmulator({ connectTo: { [HOST]: `127.0.0.1:${receiver.port}` }, ...options });
  return { receiver, emulator };
}

function receive(receiver: Receiver, options: Partial<ReceiveOptions> = {}) {
  const steps: string[] = [];
  const ledger = new Ledger();
  const client = new QrServiceClient({
    baseUrl: emulator!.url,
    apiKey: emulator!.apiKey,
    transport: ledger.watch(nodeTransport()),
    // Each write is sent once, so that a row says what becomes of it.
    retry: false,
  });
  const result = receiveDelivery({
    client,
    ledger,
    url: `https://${HOST}/probe`,
    receiver,
    headerPrefix: 'Service',
    codeName: 'qr-service-probe, safe to delete',
    signal: new AbortController().signal,
    now: Date.now,
    othersMs: 1,
    knock: () => Promise.reject(new Error('This machine has no network.')),
    onProgress: (sentence) => steps.push(sentence),
    ...options,
  });
  return { steps, ledger, result };
}

const idsOf = (findings: readonly Finding[]) =>
  findings.filter(({ verdict }) => verdict !== 'works').map(({ id, value }) => `${id}: ${value ?? ''}`);

test('receives a delivery, verifies it and removes its subscription', async () => {
  const { receiver, emulator } = await start();
  const { steps, ledger, result } = receive(receiver);
  const received = await result;
  expect(idsOf(received)).toEqual([]);
  expect(received.map(({ id }) => id)).toEqual([
    'webhooks.delivery',
    'webhooks.signature',
    'webhooks.age',
    'webhooks.event',
  ]);
  expect(ledger.left.map(leftText)).toEqual([
    expect.stringMatching(/^code qr_\w+ is left: qr-service-probe, safe to delete, http/),
  ]);
  expect(emulator.control.subscriptions()).toEqual([]);
  expect(steps.at(-1)).toMatch(
    /^Waiting for the delivery of qr\.created at hooks\.example\.com, up to 90 s more/,
  );
  await expect(fetch(`http://127.0.0.1:${receiver.port}`)).rejects.toThrow();
});

test.each([
  ['wrong secret', ['webhooks.signature: mismatch']],
  ['stale timestamp', ['webhooks.age: 61 minutes ago']],
  ['V0 only', ['webhooks.signature-header: only V0']],
  ['unsigned', ['webhooks.signature-header: missing']],
  ['re-serialized body', ['webhooks.signature: changed body']],
] as const)('finds what is wrong with a delivery: %s', async (kind, failing) => {
  const { receiver, emulator } = await start();
  emulator.control.failDeliveries({ kind, times: Infinity });
  const found = idsOf(await receive(receiver).result);
  expect(found).toEqual(
    expect.arrayContaining(
      kind === 'stale timestamp' ? [expect.stringContaining('webhooks.age')] : [...failing],
    ),
  );
});

test.each<[string, ReceiveOptions['knock'], string, RegExp]>([
  [
    'the tunnel leads elsewhere',
    () => Promise.resolve(),
    'unknown',
    /responds, but not from here: start the tunnel to http:\/\/127\.0\.0\.1:\d+/,
  ],
  [
    'nothing is known of the tunnel',
    () => Promise.reject(new Error('offline')),
    'unknown',
    /couldn't reach hooks\.example\.com, either: check that the tunnel runs/,
  ],
  ['the tunnel works', undefined, 'fails', /The tunnel leads here, so the service hasn't sent one/],
])('says what to do when nothing comes and %s', async (_, knock, verdict, said) => {
  const { receiver } = await start({ connectTo: { [HOST]: '127.0.0.1:9' } });
  const knockHere = () =>
    fetch(`http://127.0.0.1:${receiver.port}/`, { method: 'HEAD', headers: { 'x-probe-knock': '1' } });
  const findings = await receive(receiver, { knock: knock ?? knockHere, waitMs: 1 }).result;
  expect(findings).toEqual([
    expect.objectContaining({ id: 'webhooks.delivery', verdict, value: 'nothing came' }),
  ]);
  expect(findings[0]!.explanation).toMatch(said);
});

/** Sends a request to the receiver, as anyone can through the tunnel. */
const send = ({ port }: Receiver, body: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });

test.each([
  [
    'an earlier subscription',
    'X-Service-Signature',
    signWebhook({ body: EVENT, secret: 'old', timestamp: 1 }),
  ],
  ['another service', 'X-Hub-Signature-256', 'sha256=00'],
])('a delivery of %s that came before is not taken for its own', async (_, name, value) => {
  const { receiver } = await start();
  await send(receiver, EVENT, { [name]: value });
  expect(idsOf(await receive(receiver, { othersMs: 60_000 }).result)).toEqual([]);
});

test('a test that a service sends on its own shows nothing about events', async () => {
  const { receiver, emulator } = await start({ connectTo: { [HOST]: '127.0.0.1:9' } });
  const controller = new AbortController();
  const { result } = receive(receiver, { signal: controller.signal });
  await until(() => emulator.control.subscriptions().length > 0);
  const { secret } = emulator.control.subscriptions()[0]!;
  const body = JSON.stringify({ ...(JSON.parse(EVENT) as object), type: 'webhook.test' });
  const timestamp = Math.floor(Date.now() / 1000);
  await send(receiver, body, { 'X-Service-Signature': signWebhook({ body, secret, timestamp }) });
  controller.abort();
  expect(await result).toEqual([]);
});

test('a delivery without any header of its own is found', async () => {
  const { receiver } = await start({ connectTo: { [HOST]: '127.0.0.1:9' } });
  await send(receiver, EVENT);
  expect(idsOf(await receive(receiver).result)).toContain('webhooks.signature-header: missing');
});

test('a request that is too long is counted, and the receiver stays', async () => {
  const { receiver } = await start({ connectTo: { [HOST]: '127.0.0.1:9' } });
  await send(receiver, ' '.repeat(1_000_001)).catch(() => undefined);
  await until(() => receiver.others() === 1);
  const findings = await receive(receiver, { waitMs: 1 }).result;
  expect(findings[0]!.explanation).toContain("aren't deliveries: 1.");
});

test('a code that cannot be published has caused an event all the same', async () => {
  const { receiver, emulator } = await start();
  const error = { status: 422, code: 'approval_required', match: { path: '/qr/{id}/publish' } } as const;
  emulator.control.failNext({ ...error, times: Infinity });
  expect(idsOf(await receive(receiver).result)).toEqual([]);
});

test('Ctrl-C while it subscribes creates nothing more', async () => {
  const { receiver, emulator } = await start();
  const stop = new AbortController();
  const { ledger, result } = receive(receiver, {
    signal: stop.signal,
    onProgress: (sentence) => {
      if (sentence.startsWith('Subscribing')) stop.abort();
    },
  });
  expect([await result, ledger.left]).toEqual([[], []]);
  expect(emulator.control.subscriptions()).toEqual([]);
});

test('Ctrl-C while it waits removes the subscription, and says what is left', async () => {
  const { receiver, emulator } = await start({ connectTo: { [HOST]: '127.0.0.1:9' } });
  const stop = new AbortController();
  const { ledger, result } = receive(receiver, {
    signal: stop.signal,
    onProgress: (sentence) => {
      if (sentence.startsWith('Waiting')) stop.abort();
    },
  });
  expect(await result).toEqual([]);
  expect(ledger.left.map(({ what }) => what)).toEqual(['code']);
  expect(emulator.control.subscriptions()).toEqual([]);
});

test.each<[what: string, options: EmulatorOptions, fault: Fault | undefined, left: RegExp[]]>([
  ['DELETE is unsupported', { wireShape: { unsubscribe: 405 } }, undefined, [SUBSCRIBED, CREATED]],
  ['DELETE finds nothing', { wireShape: { unsubscribe: 404 } }, undefined, [MAYBE_SUBSCRIBED, CREATED]],
  [
    'DELETE gets no response',
    {},
    { match: { method: 'DELETE' }, drop: 'after' },
    [MAYBE_SUBSCRIBED, CREATED],
  ],
  ['DELETE fails', {}, { match: { method: 'DELETE' }, status: 500 }, [MAYBE_SUBSCRIBED, CREATED]],
  ['subscribing is refused', {}, { match: SUBSCRIBE, status: 403, code: 'quota_exceeded' }, []],
  ['subscribing gets no response', {}, { match: SUBSCRIBE, drop: 'after' }, [/^subscription may be left: /]],
  [
    'subscribing gets a proxy error',
    {},
    { match: SUBSCRIBE, preset: 'proxy error' },
    [/^subscription may be/],
  ],
  [
    'creating gets no response',
    {},
    { match: CREATE, drop: 'before' },
    [/^code may be left: qr-service-probe/],
  ],
])('lists what is or may be left if %s', async (_what, options, fault, left) => {
  const { receiver, emulator } = await start(options);
  if (fault !== undefined) emulator.control.failNext({ ...fault, times: Infinity });
  const { ledger, result } = receive(receiver, { waitMs: 1 });
  await result;
  expect(ledger.left.map(leftText)).toEqual(left.map((text) => expect.stringMatching(text) as string));
});

test('says why no subscription could be created', async () => {
  const { receiver, emulator } = await start();
  emulator.control.failNext({ status: 403, code: 'quota_exceeded', match: { method: 'POST' } });
  expect(await receive(receiver).result).toEqual([
    expect.objectContaining({
      id: 'webhooks.delivery',
      verdict: 'fails',
      explanation: expect.stringMatching(/^No subscription could be created: .*quota/i),
    }),
  ]);
});

test('a port that is in use is named, with what to do', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(startReceiver(port)).rejects.toThrow(WebhookPortError);
  await expect(startReceiver(port)).rejects.toThrow(
    `Port ${port} is in use by another program. Choose another with --port`,
  );
  server.close();
});
