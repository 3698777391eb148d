import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { verifyWebhook } from '@qr-service/core';
import { isWebhookVerificationError } from '@qr-service/core/webhook';
import type { Fault } from 'qr-service-emulator';
import { until } from '../../../test/support/jest/until.ts';
import { some } from '../../../test/support/seed.ts';
import { readConnectTo } from '../src/config/options.ts';
import { createPoster } from '../src/delivery/post.ts';
import { runInProcess as run } from './support/command.ts';
import { startReceiver, type Received } from './support/receiver.ts';
import { HOST, startService, startSubscribed, tempFile, codeInput } from './support/service.ts';
import { settleAhead } from './support/time.ts';

describe('deliveries', () => {
  const HOUR = 60 * 60 * 1000;
  const NOW = Date.parse('2026-01-15T09:00:00Z');

  test('sends a signed delivery with the event, its type and the delivery ID', async () => {
    const { createCode, receiver, emulator, secret } = await startSubscribed();
    const qr = await createCode('Signed Ä');
    await emulator.control.settled();
    const { headers, body, url } = receiver.received[0]!;
    expect(url).toBe('/in?box=1');
    const { event, deliveryId } = verifyWebhook({ rawBody: body, headers, secret });
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'qr.created',
      workspaceId: emulator.workspace.id,
      occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { qrId: qr.id, source: 'public_api', qr },
    });
    expect(emulator.control.deliveries()).toMatchObject([{ id: deliveryId, status: 'delivered' }]);
    expect(headers).toMatchObject({
      host: HOST,
      'content-type': 'application/json',
      'x-forwarded-proto': 'https',
      'x-service-event': 'qr.created',
      'x-service-timestamp': /^t=(\d+),/.exec(String(headers['x-service-signature']))?.[1],
      'x-service-signature-v0': createHmac('sha256', secret).update(body).digest('hex'),
    });
  });

  test('delivers only the event types of the subscription', async () => {
    const { call, createCode, receiver, emulator, subscribe } = await startSubscribed();
    const [all] = emulator.control.subscriptions();
    await call('DELETE', `/webhooks/${all!.id}`);
    await subscribe('qr.published');
    const { id } = await createCode();
    await call('POST', `/qr/${id}/publish`);
    await emulator.control.settled();
    expect(receiver.received.map(({ headers }) => headers['x-service-event'])).toEqual(['qr.published']);
  });

  test('fires the documented events for each change', async () => {
    const { call, createCode, receiver, emulator } = await startSubscribed();
    const { control } = emulator;
    const { id } = await createCode();
    await control.settled();
    const body = { url: 'https://example.com/other' };
    const changes: [change: () => unknown, fired: string[]][] = [
      [() => call('POST', `/qr/${id}/publish`), ['qr.published public_api', 'qr.updated public_api']],
      [() => call('POST', `/qr/${id}/publish`), []],
      [
        () => call('POST', `/qr/${id}/destination`, { body }),
        ['qr.updated public_api', 'redirect.rule_changed public_api'],
      ],
      [() => control.rename(id, 'New name'), ['qr.updated app']],
      [() => control.archive(id), ['qr.archived app', 'qr.updated app']],
      [() => control.unarchive(id), ['qr.updated app']],
      [() => control.delete(id), ['qr.deleted app']],
    ];
    for (const [change, fired] of changes) {
      receiver.received.length = 0;
      await change();
      await control.settled();
      const events = receiver.received.map(
        (delivery) => JSON.parse(delivery.body) as { type: string; data: { source: string } },
      );
      expect(events.map(({ type, data }) => `${type} ${data.source}`).toSorted()).toEqual(fired);
    }
  });

  test('retries with the same delivery ID and body and a new signature', async () => {
    const statuses = [500, 302, 204];
    const { receiver, emulator, secret } = await startSubscribed((nth) => statuses[nth] ?? 204, {
      retryBaseMs: HOUR,
      now: () => NOW,
    });
    emulator.control.emit('export.ready', { exportId: 'exp_1' });
    await settleAhead(emulator.control);
    const { received } = receiver;
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    for (const [nth, sentAt] of [NOW, NOW + HOUR, NOW + 3 * HOUR].entries()) {
      const { body, headers } = received[nth]!;
      verifyWebhook({ rawBody: body, headers, secret, toleranceSeconds: 1, now: () => sentAt });
    }
    const { attempts } = emulator.control.deliveries()[0]!;
    expect(attempts.map(({ number, status, error }) => [number, status, error])).toEqual([
      [1, 500, null],
      [2, 302, null],
      [3, 204, null],
    ]);
    expect(attempts[1]?.headers['X-Service-Signature']).toBe(received[1]!.headers['x-service-signature']);
  });

  test('gives up after six retries, each wait twice as long as the one before', async () => {
    const { receiver, emulator } = await startSubscribed(() => 500, { retryBaseMs: HOUR, now: () => NOW });
    emulator.control.emit('bulk.completed');
    await settleAhead(emulator.control);
    expect(receiver.received).toHaveLength(7);
    const [delivery] = emulator.control.deliveries();
    expect(delivery).toMatchObject({ status: 'failed', tries: 7 });
    const starts = delivery!.attempts.map(({ startedAt }) => (startedAt - NOW) / HOUR);
    expect(starts).toEqual([0, 1, 3, 7, 15, 31, 63]);
  });

  test('sends at most eight deliveries to one subscription at a time', async () => {
    const { promise: responded, resolve: respond } = Promise.withResolvers<number>();
    const { receiver, emulator } = await startSubscribed(() => responded);
    for (let nth = 0; nth < 50; nth++) emulator.control.emit('export.ready', { nth });
    await until(() => receiver.received.length === 8);
    const sending = emulator.control.deliveries().filter(({ status }) => status === 'sending');
    expect(sending).toHaveLength(8);
    respond(204);
    await emulator.control.settled();
    expect([receiver.received.length, receiver.busiest()]).toEqual([50, 8]);
  });

  test('cancels retries when the subscription is removed', async () => {
    const { call, receiver, emulator } = await startSubscribed(() => 500, { retryBaseMs: HOUR });
    emulator.control.emit('export.ready');
    await until(() => receiver.received.length > 0);
    const [subscription] = emulator.control.subscriptions();
    await call('DELETE', `/webhooks/${subscription!.id}`);
    await emulator.control.settled();
    expect(receiver.received).toHaveLength(1);
    const [delivery] = emulator.control.deliveries();
    expect(delivery).toMatchObject({ status: 'canceled' });
    expect(() => emulator.control.redeliver(delivery!.id)).toThrow(
      "can't be redelivered because its subscription was removed.",
    );
  });

  test('resumes pending and interrupted deliveries after a restart', async () => {
    const db = tempFile('emulator.json');
    const hanging = await startReceiver((nth) => (nth === 0 ? 500 : null));
    const options = { db, retryBaseMs: 30_000, connectTo: { [HOST]: hanging.address } };
    const { call, emulator } = await startService(options);
    const body = { url: `https://${HOST}/`, eventTypes: ['export.ready'] };
    const secret = String((await call('POST', '/webhooks', { body })).json['secret']);
    emulator.control.emit('export.ready', { nth: 1 });
    await until(() => emulator.control.deliveries()[0]?.attempts.length === 1);
    emulator.control.emit('export.ready', { nth: 2 });
    await until(() => hanging.received.length === 2);
    const deliveries = emulator.control.deliveries();
    expect(deliveries.map(({ status }) => status)).toEqual(['pending', 'sending']);
    await emulator.stop();

    const receiver = await startReceiver();
    const later = Date.now() + 60_000;
    const after = await startService({ db, now: () => later, connectTo: { [HOST]: receiver.address } });
    await after.emulator.control.settled();
    const got = receiver.received.map(({ headers }) => headers['x-service-delivery']);
    expect(got.toSorted()).toEqual(deliveries.map(({ id }) => id).toSorted());
    const { headers, body: rawBody } = receiver.received[0]!;
    verifyWebhook({ rawBody, headers, secret, now: () => later });
    expect(after.emulator.control.deliveries().map(({ status }) => status)).toEqual([
      'delivered',
      'delivered',
    ]);
  });

  describe('where deliveries go', () => {
    const REQUEST = { headers: {}, body: '{}' };
    const TIMEOUT_MS = 30_000;

    test.each(['https://localhost:9/', 'https://127.0.0.1:9/', 'https://[::1]:9/', 'https://10.0.0.1/'])(
      'refuses to deliver to %s, a local or private address',
      async (url) => {
        const poster = createPoster(readConnectTo({}), 1000);
        const { status, error } = await poster.post({ ...REQUEST, url });
        poster.close();
        expect([status, error]).toEqual([null, expect.stringMatching(/local or private address/)]);
      },
    );

    test.each([
      ['plain HTTP to a connect-to port', 'hooks.example.com', /^POST \/in HTTP\/1\.1\r\n/],
      ['TLS to a public host, by its name', undefined, /hooks\.example\.com/],
    ])('sends %s, and times out on a silent receiver', async (_what, connectTo, expected) => {
      const first: Buffer[] = [];
      const timers = jest.spyOn(globalThis, 'setTimeout');
      const cleared = jest.spyOn(globalThis, 'clearTimeout');
      const isArmed = (nth: number) =>
        cleared.mock.calls.every(([timer]) => timer !== timers.mock.results[nth]?.value);
      const server = createServer((socket) =>
        socket.once('data', (data) => {
          first.push(data);
          for (const [nth, [onTimeout, ms]] of timers.mock.calls.entries())
            if (ms === TIMEOUT_MS && isArmed(nth)) onTimeout();
        }),
      );
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const rules = connectTo === undefined ? {} : { [connectTo]: `127.0.0.1:${port}` };
      const poster = createPoster(readConnectTo(rules), TIMEOUT_MS, (_name, { all }, callback) => {
        if (all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
        else callback(null, '127.0.0.1', 4);
      });
      const at = connectTo === undefined ? `:${port}` : '';
      const result = await poster.post({ ...REQUEST, url: `https://hooks.example.com${at}/in` });
      expect(result).toEqual({ status: null, error: `no response within ${TIMEOUT_MS / 1000} s` });
      expect(first[0]?.toString('latin1')).toMatch(expected);
      poster.close();
      jest.restoreAllMocks();
      await new Promise((resolve) => server.close(resolve));
    });

    test.each(['127.0.0.1', '127.0.0.1:0', '127.0.0.1:99999', ':80', 'http://x:80', '::1:80', '[nope]:80'])(
      'rejects the connect-to rule to %j and names it',
      (to) => {
        expect(() => readConnectTo({ 'a.example.com': to })).toThrow(`a.example.com=${to}`);
      },
    );

    test.each(['', 'https://a.at', 'a.at/', 'a.at:443', '*.a.at', 'a.at/hook', 'bücher.example'])(
      'rejects the connect-to rule from %j, which no delivery would match',
      (from) => {
        const sentence = `must look like n8n.example.com=127.0.0.1:5678, not ${from}=127.0.0.1:80.`;
        expect(() => readConnectTo({ [from]: '127.0.0.1:80' })).toThrow(sentence);
      },
    );

    test.each([
      ['A.example.com', 'localhost:80', { host: 'localhost', port: 80 }],
      ['a.example.com', '[::1]:8080', { host: '::1', port: 8080 }],
      ['a.example.com:8443', '127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
      ['[2001:db8::1]', '127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
    ])('reads the connect-to rule from %s to %j', (from, to, endpoint) => {
      expect(readConnectTo({ [from]: to })(new URL(`https://${from}/x`))).toEqual(endpoint);
    });
  });
});

describe('faults', () => {
  test('can drop the connection before or after the request is processed', async () => {
    const { call, emulator } = await startService();
    emulator.control.failNext({ drop: 'before' });
    await expect(call('POST', '/qr', { body: codeInput('Before') })).rejects.toThrow();
    emulator.control.failNext({ drop: 'after' });
    await expect(call('POST', '/qr', { body: codeInput('After') })).rejects.toThrow();
    expect((await call('GET', '/qr')).json['data']).toMatchObject([{ name: 'After' }]);
    expect(emulator.control.requests().map(({ status }) => status)).toEqual([0, 0, 200]);
  });

  test.each<[Fault, number, string | null, string | null, string]>(
    some(
      [
        [{ status: 502, body: '<h1>Bad Gateway</h1>' }, 502, 'text/html', null, '<h1>Bad Gateway</h1>'],
        [{ status: 404, body: '' }, 404, null, null, ''],
        [{ status: 204 }, 204, null, null, ''],
        [{ status: 205, body: '<h1>Reset</h1>' }, 205, null, null, ''],
        [{ status: 304 }, 304, null, null, ''],
        [{ code: 'quota_exceeded' }, 403, 'application/json', null, '"code":"quota_exceeded"'],
        [{ code: 'insufficient_scope' }, 403, 'application/json', null, '"required":"qr:write"'],
        [{}, 503, 'application/json', null, '"code":"service_unavailable"'],
        [{ code: 'rate_limited' }, 429, 'application/json', '1', '"code":"rate_limited"'],
        [{ code: 'rate_limited', retryAfter: 120 }, 429, 'application/json', '120', ''],
        [{ status: 503, retryAfter: 7 }, 503, 'application/json', '7', ''],
      ],
      2,
    ),
  )(
    'responds with the status, body and Retry-After of the fault %j',
    async (fault, status, type, retryAfter, text) => {
      const { call, emulator } = await startService();
      emulator.control.failNext(fault);
      const { headers, bytes, ...response } = await call('GET', '/me', { offContract: true });
      expect([response.status, headers.get('Content-Type'), headers.get('Retry-After')]).toEqual([
        status,
        type,
        retryAfter,
      ]);
      expect(bytes.toString()).toContain(text);
    },
  );

  test.each<[Fault['match'], string, boolean]>(
    some(
      [
        [{ path: '/qr/*' }, '/qr/one', true],
        [{ path: '/qr/*' }, '/qr/one/image', false],
        [{ path: '/qr/**' }, '/qr/one/image', true],
        [{ path: '/v1/public-api/qr/one' }, '/qr/one', true],
        [{ path: '/qr' }, '/qr?limit=1', true],
        [{ path: '/q.' }, '/qr', false],
        [{ path: '/qr', method: 'POST' }, '/qr', false],
      ],
      2,
    ),
  )('the match %j applies to GET %s: %s', async (match, requested, isHit) => {
    const { call, emulator } = await startService();
    emulator.control.failNext({ match: match!, status: 418 });
    expect((await call('GET', requested)).status === 418).toBe(isHit);
  });

  test('matches a query parameter, and applies limited faults before lasting ones until all are cleared', async () => {
    const { call, emulator } = await startService();
    const { control } = emulator;
    control.failNext({ match: { query: 'cursor' }, code: 'invalid_cursor', times: Infinity });
    control.failNext({ code: 'quota_exceeded', times: 1 });
    const codeOf = async (path: string) => (await call('GET', path, { offContract: true })).json['code'];
    expect(await codeOf('/qr?cursor=x')).toBe('quota_exceeded');
    expect(await codeOf('/qr?cursor=x')).toBe('invalid_cursor');
    expect(await codeOf('/qr')).toBeUndefined();
    expect(await codeOf('/qr?cursor=x')).toBe('invalid_cursor');
    control.clearFaults();
    expect(await codeOf('/me?cursor=x')).toBeUndefined();
  });

  describe('delivery faults', () => {
    /** What a receiver says of a delivery. */
    function verdict({ headers, body }: Received, secret: string, now = Date.now): string {
      try {
        verifyWebhook({ rawBody: body, headers, secret, now });
        return 'genuine';
      } catch (error) {
        if (isWebhookVerificationError(error)) return error.code;
        throw error;
      }
    }
    const deliveryIds = (received: readonly Received[]) =>
      new Set(received.map(({ headers }) => headers['x-service-delivery'])).size;
    const eventIds = (received: readonly Received[]) =>
      new Set(received.map(({ body }) => (JSON.parse(body) as { id: string }).id)).size;

    test.each([
      ['wrong secret', 'signature_mismatch'],
      ['stale timestamp', 'timestamp_out_of_tolerance'],
      ['V0 only', 'deprecated_scheme'],
      ['unsigned', 'missing_header'],
      ['re-serialized body', 'signature_mismatch'],
    ] as const)('%s: receivers reject it as %s, and a valid retry follows', async (kind, reason) => {
      const verdicts: string[] = [];
      const service = await startSubscribed(() => {
        verdicts.push(verdict(service.receiver.received.at(-1)!, service.secret));
        return verdicts.at(-1) === 'genuine' ? 204 : 401;
      });
      const { control } = service.emulator;
      control.failDeliveries({ kind });
      const event = control.emit('export.ready', { exportId: 'exp_1' });
      await control.settled();
      expect(verdicts).toEqual([reason, 'genuine']);
      const [{ attempts, body } = { attempts: [], body: '' }] = control.deliveries();
      expect(attempts).toMatchObject([
        { fault: kind, status: 401 },
        { fault: null, status: 204 },
      ]);
      const [first] = service.receiver.received;
      expect(JSON.parse(first!.body)).toEqual(event);
      expect(attempts[0]!.sentBody).toBe(first!.body === body ? null : first!.body);
      if (kind === 'stale timestamp')
        expect(verdict(first!, service.secret, () => Date.now() - 60 * 60 * 1000)).toBe('genuine');
    });

    test.each([
      ['duplicate', 1],
      ['second delivery id', 2],
    ] as const)('%s: sends an event twice, both valid', async (kind, ids) => {
      const { emulator, receiver, secret } = await startSubscribed();
      emulator.control.failDeliveries({ kind, times: Infinity });
      emulator.control.emit('export.ready');
      await emulator.control.settled();
      const { received } = receiver;
      expect(received.map((delivery) => verdict(delivery, secret))).toEqual(['genuine', 'genuine']);
      expect([eventIds(received), deliveryIds(received)]).toEqual([1, ids]);
    });
  });
});

describe('the command', () => {
  test('explains on one line that a requested port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const err = `Port ${port} is already in use; choose another port.\n`;
    expect(await run('--port', String(port))).toEqual({ code: 1, out: '', err });
    server.close();
  });

  test('lists every option in --help, and the version', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    const options = ['port', 'host', 'db', 'connect-to', 'redirect-url', 'api-key', 'seed'];
    for (const option of [...options, 'help', 'version'])
      expect(out).toMatch(new RegExp(`--${option}( |$)`, 'm'));
    const file = readFileSync(join(__dirname, '../package.json'), 'utf8');
    const { version } = JSON.parse(file) as { version: string };
    expect(await run('--version')).toMatchObject({ code: 0, out: `${version}\n` });
  });

  test.each([
    ['{"codes": [{"name": "Door"}]}', "can't be used: codes[0].targetUrl is missing.\n"],
    ['{\n  "codes": [,]\n}', `isn't valid JSON: Unexpected token ',', "{ "codes": [,] }".\n`],
  ])('names the seed file and the position of the error: %j', async (text, sentence) => {
    const seed = tempFile('seed.json');
    writeFileSync(seed, text);
    const { code, err } = await run('--port', '0', '--seed', seed);
    expect({ code, err }).toEqual({ code: 1, err: `The seed file ${seed} ${sentence}` });
  });

  test.each([
    [['--color'], "unknown option '--color'. See --help."],
    [['extra'], 'too many arguments. Expected 0 arguments but got 1. See --help.'],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535.'],
    [['--port'], "option '-p, --port <number>' argument missing. See --help."],
    [['--connect-to', 'a.at=b'], '--connect-to must look like n8n.example.com=127.0.0.1:5678, not a.at=b.'],
    [['--redirect-url', 'qr.example'], '--redirect-url must be an absolute http or https URL of at most 100'],
    [['--seed', '/none.json'], "The seed file /none.json can't be read (ENOENT)."],
    [['--host', ''], '--host must not be empty.'],
    [['--db='], '--db must not be empty.'],
    [['--db', '/none/emulator.json'], "/none/emulator.json can't be created: its folder doesn't exist."],
    [['--host', '203.0.113.7'], "The emulator can't listen on 203.0.113.7"],
    [['--api-key', 'a b'], '--api-key can contain only printable ASCII characters, without spaces.'],
  ])('refuses %j with one line', async (args, sentence) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});
