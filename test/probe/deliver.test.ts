import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TransportError } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { sampleEvent, signWebhook } from '@qr-service/core/webhook';
import type { DeliveryFaultKind } from 'qr-service-emulator';
import { summarize } from '../../packages/probe/src/report/Report.ts';
import { startReceiver, type Receiver } from '../../packages/probe/src/webhook/Receiver.ts';
import { until } from '../support/jest/until.ts';
import { some } from '../support/seed.ts';
import { findingOf, startSeeded, stopProbed } from './support/probeEmulator.ts';

const HOST = 'hooks.example.com';
const url = `https://${HOST}/probe`;
const EVENT = JSON.stringify(sampleEvent('qr.created'));

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver(0);
});
afterEach(async () => {
  await receiver.close();
  await stopProbed();
});

/** How the tunnel behaves for this machine. */
type Tunnel = 'works' | 'leads elsewhere' | 'unreachable';

/** Probes an emulator whose deliveries reach the receiver, as through a tunnel. */
async function deliver(
  options: { kind?: DeliveryFaultKind; isLost?: boolean; tunnel?: Tunnel; slowMs?: number } = {},
) {
  const { kind, isLost = false, tunnel = 'works', slowMs = 0 } = options;
  const target = isLost ? '127.0.0.1:9' : `127.0.0.1:${receiver.port}`;
  const { emulator, probe, clock } = await startSeeded({ connectTo: { [HOST]: target } });
  if (kind !== undefined) emulator.control.failDeliveries({ kind, times: Infinity });
  const undici = undiciTransport();
  const report = await probe({
    webhook: { url, receiver },
    transport: async (request) => {
      if (!request.url.startsWith(url)) {
        await clock.sleep(slowMs);
        return undici(request);
      }
      if (tunnel === 'unreachable') throw new TransportError('No host.', { code: 'network' });
      if (tunnel === 'leads elsewhere') return { status: 200, headers: {}, body: new Uint8Array() };
      // Deliveries are on their way meanwhile.
      if (!isLost) await until(() => receiver.deliveries.length >= 2);
      return undici({ ...request, url: `http://127.0.0.1:${receiver.port}/` });
    },
  });
  expect(emulator.control.subscriptions()).toEqual([]);
  return { report, finding: findingOf(report, 'deliver') };
}

test('receives and verifies a delivery, and confirms all jobs', async () => {
  const { report, finding } = await deliver();
  expect(finding).toMatchObject({ verdict: 'works', value: 'qr.created, signature valid' });
  expect(summarize(report)).toEqual({
    verdict: 'works',
    headline: 'The connectors work with this service.',
    exit: 0,
  });
});

test.each([
  ['stale timestamp', '61 minutes ago', 'more than 300 s'],
  ['re-serialized body', 'changed body', ''],
] as const)('finds what is wrong with a delivery: %s', async (kind, value, said) => {
  const { finding } = await deliver({ kind });
  expect(finding).toMatchObject({ verdict: 'fails', value });
  expect(finding.explanation).toContain(said);
});

test.each<[Tunnel, string, RegExp]>(
  some(
    [
      ['works', 'fails', /^No delivery arrived within \d\d s\. The tunnel works, so the service hasn't/],
      [
        'leads elsewhere',
        'unknown',
        /doesn't forward to this machine: start the tunnel to http:\/\/127\.0\.0\.1:\d+/,
      ],
      [
        'unreachable',
        'unknown',
        /couldn't reach hooks\.example\.com, either: check that the tunnel is running/,
      ],
    ],
    1,
  ),
)('says what to do when nothing arrives and the tunnel %s', async (tunnel, verdict, said) => {
  const { finding, report } = await deliver({ isLost: true, tunnel });
  expect(finding).toMatchObject({ verdict, value: 'nothing arrived' });
  expect(finding.explanation).toMatch(said);
  expect(report.durationMs).toBeLessThan(66_000);
});

test.each(
  some(
    [
      ['X-Service-Signature', signWebhook({ body: EVENT, secret: 'old', timestamp: 1 })],
      ['X-Hub-Signature-256', 'sha256=00'],
    ],
    1,
  ),
)('ignores an earlier delivery with another %s', async (name, value) => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${receiver.port}/`, { method: 'POST', body, headers });
  await post('no delivery');
  expect(receiver.deliveries).toEqual([]);
  await post(EVENT, { [name]: value });
  expect((await deliver()).finding.verdict).toBe('works');
});

test('looks for the tunnel although a slow service has taken all the time', async () => {
  const { finding } = await deliver({ isLost: true, slowMs: 3000 });
  expect(finding).toMatchObject({
    verdict: 'fails',
    explanation: expect.stringContaining('The tunnel works'),
  });
});

test('names a port that is in use and says what to do', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(startReceiver(port)).rejects.toThrow(
    `Port ${port} is in use by another program. Choose another with --port, and point the tunnel to it.`,
  );
  server.close();
});
