import type { EmulatorOptions } from 'qr-service-emulator';
import { codeInput, startService } from './support/service.ts';
import { settleAhead } from './support/time.ts';

async function start(options: EmulatorOptions = {}) {
  const lines: string[] = [];
  const service = await startService({ ...options, log: (line) => lines.push(line) });
  return { ...service, lines, control: service.emulator.control };
}
type Started = Awaited<ReturnType<typeof start>>;

const wrong = { ...codeInput('X'), content: { targetUrl: 'x' } };
test.each<[string, (service: Started) => Promise<unknown>, string]>([
  ['success', ({ call }) => call('GET', '/me'), 'GET /me → 200'],
  [
    'one field',
    ({ call }) => call('POST', '/qr', { body: wrong }),
    'POST /qr → 422 validation_failed (content.targetUrl)',
  ],
  ['a cursor', ({ call }) => call('GET', '/qr?cursor=x'), 'GET /qr?cursor=x → 422 invalid_cursor'],
  [
    'a missing scope',
    ({ call, control }) => {
      control.createKey({ apiKey: 'reader', scopes: ['exports:read'] });
      return call('GET', '/qr', { apiKey: 'reader' });
    },
    'GET /qr → 403 insufficient_scope (qr:read)',
  ],
  [
    'a fault',
    ({ call, control }) => {
      control.failNext({ code: 'quota_exceeded' });
      return call('GET', '/me', { offContract: true });
    },
    'GET /me → 403 quota_exceeded',
  ],
  [
    'a cut connection',
    ({ call, control }) => {
      control.failNext({ drop: 'before' });
      return call('GET', '/me').catch(() => undefined);
    },
    'GET /me → connection cut',
  ],
])('logs %s on one line', async (_what, work, line) => {
  const service = await start();
  await work(service);
  expect(service.lines).toEqual([line.replace(' ', ' /v1/public-api')]);
});

test.each<[string, EmulatorOptions, string]>([
  [
    'https://n8n.example.com/webhook',
    { connectTo: { 'n8n.example.com': '127.0.0.1:1' } },
    '--connect-to sends deliveries for n8n.example.com to 127.0.0.1:1: start the receiver there.',
  ],
  [
    'https://no-such-host.example.com:8443/in',
    {},
    'If no-such-host.example.com:8443 runs on this machine, restart the emulator with --connect-to no-such-host.example.com:8443=127.0.0.1:<port>.',
  ],
])('says once what to do when %s cannot be reached', async (url, options, hint) => {
  const { call, control, lines } = await start(options);
  await call('POST', '/webhooks', { body: { url, eventTypes: ['export.ready'] } });
  control.emit('export.ready');
  await settleAhead(control);
  const attempts = lines.filter((line) => line.startsWith('delivery '));
  expect(attempts).toHaveLength(7);
  expect(attempts.map((line) => line.endsWith(`. ${hint}`))).toEqual([
    true,
    ...Array<boolean>(6).fill(false),
  ]);
});
