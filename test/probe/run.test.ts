import { SCOPES, TransportError, type Transport } from '@qr-service/core';
import { API_PATH, readConnection } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import type { ResponseDraft, Seed } from 'qr-service-emulator';
import { leftText } from '../../packages/probe/src/http/Ledger.ts';
import { summarize, type Report } from '../../packages/probe/src/report/Report.ts';
import { terminalReport } from '../../packages/probe/src/report/terminal.ts';
import { some } from '../support/seed.ts';
import { findingOf, startSeeded, stopProbed, verdictsOf } from './support/probeEmulator.ts';

describe('a run', () => {
  const REFUSAL = { error: 'No.', message: 'No.', code: 'refused', requestId: 'req_1' };
  const RUNNING = { ...REFUSAL, code: 'idempotency_in_progress' };
  const PAGE = { json: undefined, bytes: Buffer.from('<html>Bad gateway</html>') };
  const EMPTY = { json: undefined, bytes: Buffer.alloc(0) };

  afterEach(stopProbed);

  const failing = ({ findings }: Report) =>
    findings.filter(({ verdict }) => verdict === 'fails').map(({ id }) => id);
  const openOf = ({ findings }: Report) =>
    findings.filter(({ verdict, isAsked }) => verdict === 'unknown' && isAsked).map(({ id }) => id);
  const codes = (count: number): Seed => ({
    codes: Array.from({ length: count }, (_none, nth) => ({
      name: `Code ${nth}`,
      targetUrl: 'https://example.com/',
    })),
  });

  describe('a workspace', () => {
    test("without codes, read-only: says what isn't checked and why, and sends no writes", async () => {
      const { probe, emulator } = await startSeeded({ seed: {} });
      const report = await probe({ write: false });
      expect(openOf(report)).toEqual(['pages', 'since', 'png', 'svg', 'pdf', 'scans', 'scansSince']);
      expect(findingOf(report, 'png').explanation).toBe(
        'The list has no code. Add one, or run the probe with --write.',
      );
      expect(summarize(report)).toMatchObject({ verdict: 'unknown', exit: 1 });
      expect(new Set(emulator.control.requests().map(({ method }) => method))).toEqual(new Set(['GET']));
      expect(report).toMatchObject({ wrote: false, leftBehind: [] });
    });

    test.each(some([0, 3000], 1))(
      'with %s codes, writing: everything works, in a few requests',
      async (count) => {
        const { probe } = await startSeeded({ seed: codes(count) });
        const report = await probe();
        expect([failing(report), openOf(report)]).toEqual([[], []]);
        expect(report.requests).toBeLessThan(50);
        const headline = 'Everything that was checked works.';
        expect(summarize(report)).toEqual({ verdict: 'works', headline, exit: 0 });
      },
    );
  });

  describe('a key', () => {
    test.each(some(SCOPES))(
      'with the scope %s alone: nothing fails, and each unchecked line says why',
      async (scope) => {
        const { probe, emulator } = await startSeeded();
        const { apiKey } = emulator.control.createKey({ scopes: [scope] });
        const report = await probe({ connection: readConnection({ baseUrl: emulator.url, apiKey }) });
        expect(failing(report)).toEqual([]);
        const lacking = report.findings.filter(({ explanation = '' }) => explanation.includes('scope'));
        expect(lacking.length).toBeGreaterThan(1);
        for (const { explanation } of lacking) expect(explanation).not.toContain(`needs ${scope}`);
        expect(findingOf(report, 'connection').value).toContain('accepted, without');
        expect(summarize(report).exit).toBe(1);
      },
    );
  });

  describe('a service', () => {
    const LATE_SEEDS = [0, 1, 3, 9].flatMap((count) =>
      [3000, 60_000].map((ms): [number, number] => [ms, count]),
    );

    test.each(some(LATE_SEEDS))(
      'whose lists are %s ms behind, with %s codes: nothing fails',
      async (visibleAfterMs, count) => {
        for (const listOrder of ['ascending', 'descending', 'id'] as const) {
          const { probe } = await startSeeded({ seed: codes(count), visibleAfterMs, listOrder });
          expect(failing(await probe())).toEqual([]);
        }
      },
    );

    test('with new codes alone that are late since a time: says what was seen, and to look again', async () => {
      const { probe } = await startSeeded({ seed: {} });
      const report = await probe(
        {},
        {
          response(draft, { path, query }) {
            if (path === '/qr' && query.has('updatedSince')) draft.json = { data: [], pagination: {} };
          },
        },
      );
      expect(failing(report)).toEqual([]);
      expect(findingOf(report, 'since')).toMatchObject({
        verdict: 'unknown',
        explanation: expect.stringMatching(/isn't listed.*Run the probe again in five minutes\.$/),
      });
    });

    test.each(
      some(
        [
          [5000, 'works', 'within'],
          [60_000, 'unknown', 'not within'],
        ],
        1,
      ),
    )(
      'whose lists are %s ms behind: the job about new codes is %s',
      async (visibleAfterMs, verdict, value) => {
        const { probe } = await startSeeded({ visibleAfterMs });
        const visible = findingOf(await probe(), 'visible');
        expect(visible).toMatchObject({ verdict, value: expect.stringMatching(new RegExp(`^${value}`)) });
      },
    );

    test('that sometimes responds with 503 or 429: waits and retries', async () => {
      const { probe, emulator } = await startSeeded();
      let count = 0;
      const report = await probe(
        {},
        {
          request() {
            count++;
            if (count % 9 === 0) emulator.control.failNext({ status: 503 });
            if (count % 7 === 3) emulator.control.failNext({ code: 'rate_limited' });
          },
        },
      );
      expect(failing(report)).toEqual([]);
    });

    test.each(some(['GET /me', 'GET /qr', 'GET /qr/*', 'POST /qr', 'DELETE /webhooks/*']))(
      'that never responds to %s: takes at most a minute and sends it once',
      async (endpoint) => {
        const { probe, clock } = await startSeeded();
        const undici = undiciTransport();
        let hung = 0;
        const transport: Transport = async (request) => {
          const path = new URL(request.url).pathname.replace(API_PATH, '');
          if (`${request.method} ${path.replace(/^\/(qr|webhooks)\/[^/]+/, '/$1/*')}` !== endpoint)
            return undici(request);
          hung++;
          await clock.sleep(request.timeoutMs);
          throw new TransportError('No response.', { code: 'timeout' });
        };
        const report = await probe({ transport });
        expect(report.durationMs).toBeLessThanOrEqual(60_000);
        expect(hung).toBe(1);
        const text = JSON.stringify(report.findings);
        expect(text).toContain(`${endpoint.replace('*', '{id}')} didn't respond within 10 s.`);
        expect(summarize(report).exit).not.toBe(0);
      },
    );

    test.each(some([1500, 2500, 3000, 4500, 9900]))(
      'whose responses all take %s ms: ends within a minute, and accuses no endpoint',
      async (ms) => {
        const { probe, clock } = await startSeeded();
        const undici = undiciTransport();
        const report = await probe({
          transport: async (request) => {
            await clock.sleep(Math.min(ms, request.timeoutMs));
            if (request.timeoutMs < ms) throw new TransportError('No response.', { code: 'timeout' });
            return undici(request);
          },
        });
        expect(report.durationMs).toBeLessThanOrEqual(66_000);
        expect(failing(report)).toEqual([]);
        expect(JSON.stringify(report.findings)).not.toContain("didn't respond");
        for (const id of openOf(report))
          expect(findingOf(report, id).explanation).toMatch(
            /^The probe ran out of time after \d+ requests\.$/,
          );
        expect(verdictsOf(report)).toMatchObject({ create: 'works', unsubscribe: 'works' });
      },
    );

    test('with too little time to unsubscribe: says so, and what may be left', async () => {
      const { probe, clock } = await startSeeded();
      const undici = undiciTransport();
      const report = await probe({
        transport: async (request) => {
          await clock.sleep(3000);
          if (request.method !== 'DELETE') return undici(request);
          await clock.sleep(3000);
          return { status: 503, headers: {}, body: new Uint8Array() };
        },
      });
      const explanation = expect.stringMatching(/^The probe ran out of time/);
      expect(findingOf(report, 'unsubscribe')).toMatchObject({ verdict: 'unknown', explanation });
      expect(report.leftBehind).toContainEqual(expect.objectContaining({ state: 'may be left' }));
    });
  });

  const HOOK = 'https://example.com/qr-service-probe-safe-to-delete';
  const CREATE = 'POST /qr';
  const SUBSCRIBE = 'POST /webhooks';
  const CODE = 'code may be left';
  const SUBSCRIPTION = 'subscription may be left';

  test.each<[what: string, at: string, change: Partial<ResponseDraft>, left: string | undefined]>(
    some(
      [
        ['a creation without a response', CREATE, { status: 0 }, CODE],
        ["a creation with a proxy's error", CREATE, { status: 504, ...PAGE }, CODE],
        ['a creation without a body', CREATE, { status: 201, ...EMPTY }, CODE],
        ['a creation that a proxy refuses', CREATE, { status: 403, ...PAGE }, CODE],
        ['a creation that still runs', CREATE, { status: 409, json: RUNNING }, CODE],
        ['a creation that is refused', CREATE, { status: 403, json: REFUSAL }, undefined],
        ['subscribing without a response', SUBSCRIBE, { status: 0 }, SUBSCRIPTION],
        ['subscribing without an ID', SUBSCRIBE, { json: { url: 'a' } }, SUBSCRIPTION],
        ['subscribing that is refused', SUBSCRIBE, { status: 422, json: REFUSAL }, undefined],
        ['unsubscribing without a response', 'DELETE', { status: 0 }, 'subscription whk_* may be left'],
        [
          'unsubscribing with 404',
          'DELETE',
          { status: 404, json: REFUSAL },
          'subscription whk_* may be left',
        ],
        [
          'unsubscribing that is accepted',
          'DELETE',
          { status: 202, ...EMPTY },
          'subscription whk_* may be left',
        ],
        ['unsubscribing with 405', 'DELETE', { status: 405, json: REFUSAL }, 'subscription whk_* is left'],
        [
          'unsubscribing that is refused',
          'DELETE',
          { status: 403, json: REFUSAL },
          'subscription whk_* is left',
        ],
      ],
      4,
    ),
  )('lists what is or may be left: %s', async (_what, at, change, left) => {
    const { probe } = await startSeeded();
    const report = await probe(
      {},
      {
        response(draft, { method, path }) {
          if (`${method} ${path}` !== at && method !== at) return;
          draft.headers['content-type'] = change.json === undefined ? 'text/html' : 'application/json';
          Object.assign(draft, change);
        },
      },
    );
    const shown = report.leftBehind.map((one) =>
      leftText(one)
        .replace(/_\w+/, '_*')
        .replace(/ left: .*/, ' left'),
    );
    const codesLeft = at === CREATE ? [] : Array<string>(2).fill('code qr_* is left');
    expect(shown).toEqual([...(left === undefined ? [] : [left]), ...codesLeft]);
    for (const { what, search } of report.leftBehind)
      expect(search).toMatch(
        what === 'code' ? /^qr-service-probe .{13}, safe to delete$/ : new RegExp(`^${HOOK}$`),
      );
    const text = terminalReport(report, { width: 100, colors: false });
    for (const one of report.leftBehind) expect(text).toContain(`  - ${leftText(one)}`);
  });

  test.each(some(['POST /webhooks', 'POST /qr', 'GET /scans'], 1))(
    'stopped at %s: unsubscribes, and lists what it leaves',
    async (stopAt) => {
      const { probe, emulator } = await startSeeded();
      const controller = new AbortController();
      const report = await probe(
        { signal: controller.signal },
        {
          response(_draft, { method, path }) {
            if (`${method} ${path}` === stopAt) controller.abort();
          },
        },
      );
      expect(summarize(report).exit).toBe(130);
      expect(emulator.control.subscriptions()).toEqual([]);
      const response = await fetch(`${emulator.url}${API_PATH}/qr`, {
        headers: { Authorization: `Bearer ${emulator.apiKey}` },
      });
      const { data } = (await response.json()) as { data: { name: string }[] };
      const own = data.filter(({ name }) => name.startsWith('qr-service-probe'));
      expect(report.leftBehind.map(({ search }) => search).toSorted()).toEqual(
        own.map(({ name }) => name).toSorted(),
      );
    },
  );

  test('no report contains a key or a secret, even if later responses repeat them', async () => {
    const { probe, emulator } = await startSeeded();
    let secret = 'whsec_';
    const report = await probe(
      {},
      {
        response(draft, { method, path, headers }) {
          if (method === 'POST' && path === '/webhooks') secret = (draft.json as { secret: string }).secret;
          if (path !== '/scans' && !path.endsWith('/image')) return;
          const message = `${'x'.repeat(480)} ${secret} ${headers['Authorization'] ?? ''}`;
          Object.assign(draft, { status: 403, json: { ...REFUSAL, message } });
        },
      },
    );
    expect(failing(report)).toEqual(['png', 'svg', 'pdf', 'scans']);
    for (const shown of [
      JSON.stringify(report),
      terminalReport(report, { width: 100, colors: true }, true),
    ]) {
      expect(shown).toContain('xxx');
      for (const hidden of [emulator.apiKey, secret.slice(0, 12)]) expect(shown).not.toContain(hidden);
    }
  });
});
