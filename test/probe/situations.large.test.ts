import { SCOPES, TransportError, type Transport } from '@qr-service/core';
import { API_PATH } from '@qr-service/core/connector';
import { nodeTransport } from '@qr-service/core/node';
import type { Seed, WireShape } from 'qr-service-emulator';
import { judgeJobs } from '../../packages/probe/src/findings/jobs.ts';
import { leftText, type ProbeReport } from '../../packages/probe/src/findings/ProbeReport.ts';
import { endpointOf } from '../../packages/probe/src/http/Connection.ts';
import { runProbe } from '../../packages/probe/src/runProbe.ts';
import { htmlReport } from '../../packages/probe/src/report/htmlReport.ts';
import { jsonReport } from '../../packages/probe/src/report/jsonReport.ts';
import { shapeFile } from '../../packages/probe/src/report/shapeFile.ts';
import { terminalReport } from '../../packages/probe/src/report/terminalReport.ts';
import { fc } from '../support/fastCheck.ts';
import { closeProxies, startProxy, type Alteration, type Draft } from './support/alteringProxy.ts';
import { probeEmulator, startSeeded, stopProbed } from './support/probeEmulator.ts';

const PAGE = { json: undefined, bytes: Buffer.from('<html>Bad gateway</html>') };
const EMPTY = { json: undefined, bytes: Buffer.alloc(0) };
const REFUSAL = { error: 'No.', message: 'No.', code: 'refused', requestId: 'req_1' };
const RUNNING = { ...REFUSAL, code: 'idempotency_in_progress' };
const FOUND = '^code qr_\\w+ is left: NAME to delete, http';
const CODES = [FOUND, FOUND, FOUND];
const MAYBE_CODE = '^code may be left: NAME to delete$';
const HOOK = 'https://example\\.com/qr-service-probe-safe-to-delete$';
const MAYBE_HOOK = `^subscription may be left: ${HOOK}`;
const [KNOWN, MAYBE_KNOWN] = ['is', 'may be'].map((state) => `^subscription \\w+ ${state} left: ${HOOK}`) as [
  string,
  string,
];

afterEach(async () => {
  closeProxies();
  await stopProbed();
});

const finding = ({ findings }: ProbeReport, id: string) => findings.find((found) => found.id === id);
const verdicts = ({ findings }: ProbeReport) =>
  Object.fromEntries(findings.map(({ id, verdict }) => [id, verdict]));
const failed = ({ findings }: ProbeReport) => findings.filter(({ verdict }) => verdict === 'fails');
const codes = (count: number): Seed => ({
  codes: Array.from({ length: count }, (_none, nth) => ({
    name: `Code ${nth}`,
    targetUrl: 'https://example.com/',
  })),
});

describe('a workspace', () => {
  const OPEN_IF_EMPTY = [
    'codes.record',
    'codes.fields',
    'lists.walk',
    'lists.since',
    'scans.fields',
    'scans.since',
    'images.png',
  ];

  test('without codes: says what is open, and what to do', async () => {
    const { report } = await probeEmulator({ seed: {} });
    for (const id of OPEN_IF_EMPTY) expect([id, finding(report, id)?.verdict]).toEqual([id, 'unknown']);
    for (const id of ['codes.record', 'lists.walk', 'lists.since', 'images.png'])
      expect(finding(report, id)?.explanation).toContain('--write');
    expect(finding(report, 'scans.fields')?.explanation).toContain('Scan a published code');
    expect(report.shape.wireShape).toMatchObject({
      listKey: 'data',
      listNesting: 'none',
      listEnd: 'null',
    });
    expect(failed(report)).toEqual([]);
  });

  test('without codes, writing: looks at its own', async () => {
    const { report } = await probeEmulator({ seed: {} }, { write: true });
    expect(report.shape.wireShape).toMatchObject({ scanRow: 'with id', record: 'flat' });
    for (const id of OPEN_IF_EMPTY) expect([id, finding(report, id)?.verdict]).toEqual([id, 'works']);
  });

  test('with one code', async () => {
    const { report } = await probeEmulator({ seed: codes(1) });
    expect(finding(report, 'codes.record')?.verdict).toBe('works');
    expect(finding(report, 'lists.since')?.verdict).toBe('works');
    expect(finding(report, 'lists.walk')?.explanation).toContain('one code');
  });

  test('with 3,000 codes: reads a small part', async () => {
    const { report, emulator } = await probeEmulator({ seed: codes(3000) }, { write: true });
    expect(report.shape.wireShape).toMatchObject({ listEnd: 'null' });
    expect(failed(report)).toEqual([]);
    expect(emulator.control.requests().length).toBeLessThan(80);
  });

  test('with codes that all changed at the same time', async () => {
    const { report } = await probeEmulator({ seed: codes(8), updatedAtStepMs: 60 * 60 * 1000 });
    expect(failed(report)).toEqual([]);
  });
});

describe('a key', () => {
  test.each(SCOPES)('with the scope %s alone: says which scope each open finding needs', async (scope) => {
    const { emulator, clock } = await startSeeded();
    const { apiKey } = emulator.control.createKey({ scopes: [scope] });
    const report = await runProbe({ baseUrl: emulator.url, apiKey, write: true, ...clock });
    expect(failed(report)).toEqual([]);
    for (const { id, verdict, explanation } of report.findings)
      if (verdict === 'unknown') expect([id, explanation]).toEqual([id, expect.stringMatching(/[.)]$/)]);
    const lacking = report.findings.filter(({ explanation = '' }) =>
      explanation.startsWith('The key lacks the scope'),
    );
    expect(lacking.length).toBeGreaterThan(0);
    for (const { explanation } of lacking) expect(explanation).not.toContain(`scope ${scope}.`);
  });

  test('without named scopes: learns of them from the refusals', async () => {
    const { emulator, clock } = await startSeeded();
    const { apiKey } = emulator.control.createKey({ scopes: ['qr:read'] });
    const baseUrl = await startProxy(emulator.url, {
      response(draft, { path }) {
        if (path === '/me' && draft.status === 200) draft.json = { workspaceId: emulator.workspace.id };
        return draft;
      },
    });
    const report = await runProbe({ baseUrl, apiKey, write: true, ...clock });
    expect(failed(report)).toEqual([]);
    expect(finding(report, 'scans.list')?.explanation).toContain('analytics:read');
    expect(finding(report, 'codes.create')?.explanation).toContain('qr:write');
    expect(report.leftBehind).toEqual([]);
  });

  test('that is expired: names it, and asks nothing else', async () => {
    const { emulator, clock } = await startSeeded();
    const { apiKey } = emulator.control.createKey({ expiresAt: clock.now() - 1000 });
    const report = await runProbe({ baseUrl: emulator.url, apiKey, write: true, ...clock });
    expect(finding(report, 'connection.key')).toMatchObject({
      verdict: 'fails',
      explanation: expect.stringContaining('expired') as string,
    });
    expect(report.requests).toBeLessThan(4);
  });
});

describe('a service', () => {
  test('that nothing listens for', async () => {
    const report = await runProbe({
      baseUrl: 'http://127.0.0.1:1',
      apiKey: 'key',
      sleep: () => Promise.resolve(),
    });
    expect(finding(report, 'connection.reach')).toMatchObject({
      verdict: 'fails',
      explanation: expect.any(String) as string,
    });
    expect(new Set(Object.values(verdicts(report)))).toEqual(new Set(['fails', 'unknown']));
  });

  test('that fails now and then, or refuses because of its rate limit', async () => {
    const { emulator, clock } = await startSeeded();
    const { control } = emulator;
    let count = 0;
    const baseUrl = await startProxy(emulator.url, {
      request() {
        count++;
        if (count % 9 === 0) control.failNext({ preset: 'proxy error' });
        if (count % 7 === 3) control.failNext({ preset: 'rate limited, seconds' });
      },
    });
    const report = await runProbe({ baseUrl, apiKey: emulator.apiKey, write: true, ...clock });
    expect(failed(report)).toEqual([]);
    expect(report.shape.wireShape).toMatchObject({ listKey: 'data', idempotency: 'replayed' });
  });

  test.each([
    ['a small rate limit: waits', { limit: 40, windowSeconds: 30 }, ''],
    ['a tiny rate limit: stops, and says so', { limit: 5, windowSeconds: 60 }, 'nearly used up'],
  ])('with %s instead of running into it', async (_what, rateLimit, said) => {
    const { report, emulator } = await probeEmulator({ rateLimit }, { write: true });
    expect(emulator.control.requests().every(({ status }) => status !== 429)).toBe(true);
    expect(failed(report)).toEqual([]);
    expect(finding(report, 'images.png')?.explanation ?? '').toContain(said);
  });

  const ENDPOINTS = [
    'GET /me',
    'GET /qr',
    'GET /qr/*',
    'GET /qr/*/image',
    'GET /scans',
    'POST /qr',
    'POST /qr/*/publish',
    'POST /webhooks',
    'DELETE /webhooks/*',
  ];
  test.each(
    ENDPOINTS.flatMap((endpoint) => [
      [endpoint, 'no response'],
      [endpoint, '504'],
    ]),
  )('where %s hangs, then %s: takes at most a minute, and asks once', async (endpoint, end) => {
    const { emulator, clock } = await startSeeded();
    const node = nodeTransport();
    let hung = 0;
    const transport: Transport = async (request) => {
      const path = new URL(request.url).pathname.replace(API_PATH, '');
      if (endpointOf({ method: request.method, path }) !== endpoint) return node(request);
      hung++;
      await clock.sleep(request.timeoutMs - 1);
      if (end === '504') return { status: 504, headers: {}, body: new Uint8Array() };
      throw new TransportError('Nothing.', { kind: 'timeout' });
    };
    const { url: baseUrl, apiKey } = emulator;
    const report = await runProbe({ baseUrl, apiKey, write: true, transport, ...clock });
    expect(report.durationMs).toBeLessThanOrEqual(60_000);
    expect(hung).toBe(1);
    expect(failed(report).length).toBeGreaterThan(0);
    for (const { verdict, explanation = '' } of report.findings)
      if (verdict === 'unknown') expect(explanation).not.toContain('--write');
  });

  test.each([400, 5000])('whose lists are %s ms behind', async (visibleAfterMs) => {
    const { report } = await probeEmulator({ visibleAfterMs }, { write: true });
    expect(failed(report)).toEqual([]);
    const found = report.shape.visibleAfterMs ?? 0;
    expect(found).toBeGreaterThanOrEqual(visibleAfterMs);
    expect(found).toBeLessThan(visibleAfterMs + 1500);
  });

  test('whose reads are a second late', async () => {
    const { report } = await probeEmulator({ wireShape: { readLagMs: 1000 } }, { write: true });
    expect(
      judgeJobs(report.findings).filter(({ isAsked, verdict }) => isAsked && verdict !== 'works'),
    ).toEqual([]);
  });

  test('whose lists are a minute behind: gives up, and says so', async () => {
    const { report } = await probeEmulator({ visibleAfterMs: 60_000 }, { write: true });
    expect(finding(report, 'lists.visibility')).toMatchObject({
      verdict: 'unknown',
      value: 'more than 20 s',
    });
    expect(report.shape).not.toHaveProperty('visibleAfterMs');
  });
});

describe('writing', () => {
  test('names what it creates, removes subscriptions, and lists what it leaves', async () => {
    const { report, emulator } = await probeEmulator({}, { write: true });
    const { control } = emulator;
    expect(control.subscriptions()).toEqual([]);
    const created = control
      .requests()
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/qr'));
    expect(created.length).toBeGreaterThan(3);
    expect(report.leftBehind).toHaveLength(3);
    for (const { what, url, search } of report.leftBehind) {
      expect(what).toBe('code');
      expect(search.length).toBeLessThanOrEqual(50);
      const response = await fetch(url ?? '', { redirect: 'manual' });
      expect([302, 404]).toContain(response.status);
    }
    expect(report.wrote).toBe(true);
  });

  test.each<[what: string, at: string, change: Partial<Draft>, left: string[], isListed?: boolean]>([
    ['a creation without a response', 'POST /qr', { status: 0 }, [FOUND]],
    ['a creation without a response, and no list', 'POST /qr', { status: 0 }, [MAYBE_CODE], false],
    ["a creation with a proxy's error", 'POST /qr', { status: 504, ...PAGE }, [FOUND]],
    ['a creation without a body', 'POST /qr', { status: 201, ...EMPTY }, [FOUND]],
    ['a creation that returns something else', 'POST /qr', { status: 201, json: [] }, [FOUND]],
    ['a creation that a proxy refuses', 'POST /qr', { status: 403, ...PAGE }, [MAYBE_CODE], false],
    ['a creation that is still running', 'POST /qr', { status: 409, json: RUNNING }, [MAYBE_CODE], false],
    ['a creation that is refused', 'POST /qr', { status: 403, json: REFUSAL }, [], false],
    ['subscribing without a response', 'POST /webhooks', { status: 0 }, [...CODES, MAYBE_HOOK]],
    ["subscribing with a proxy's error", 'POST /webhooks', { status: 504, ...PAGE }, [...CODES, MAYBE_HOOK]],
    ['subscribing without a body', 'POST /webhooks', { status: 201, ...EMPTY }, [...CODES, MAYBE_HOOK]],
    ['subscribing without an ID', 'POST /webhooks', { json: { url: 'a' } }, [...CODES, MAYBE_HOOK]],
    ['subscribing that is refused', 'POST /webhooks', { status: 422, json: REFUSAL }, CODES],
    ['unsubscribing without a response', 'DELETE', { status: 0 }, [...CODES, MAYBE_KNOWN]],
    ['unsubscribing with 404', 'DELETE', { status: 404, json: REFUSAL }, [...CODES, MAYBE_KNOWN]],
    ['unsubscribing with 410', 'DELETE', { status: 410, json: REFUSAL }, [...CODES, MAYBE_KNOWN]],
    ['unsubscribing with 500', 'DELETE', { status: 500, json: REFUSAL }, [...CODES, MAYBE_KNOWN]],
    ['unsubscribing that is accepted', 'DELETE', { status: 202, ...EMPTY }, [...CODES, MAYBE_KNOWN]],
    ["unsubscribing with a proxy's page", 'DELETE', { status: 200, ...PAGE }, [...CODES, MAYBE_KNOWN]],
    ['unsubscribing with 405', 'DELETE', { status: 405, json: REFUSAL }, [...CODES, KNOWN]],
    ['unsubscribing that is refused', 'DELETE', { status: 403, json: REFUSAL }, [...CODES, KNOWN]],
  ])('lists what is or may be left: %s', async (_what, at, change, left, isListed = true) => {
    const { emulator, clock } = await startSeeded();
    const baseUrl = await startProxy(emulator.url, {
      response(draft, { method, path }) {
        if (!isListed && `${method} ${path}` === 'GET /qr') return { ...draft, status: 0 };
        if (`${method} ${path}` !== at && method !== at) return draft;
        const type = change.json === undefined ? 'text/html' : 'application/json';
        return { ...draft, ...change, headers: { ...draft.headers, 'content-type': type } };
      },
    });
    const report = await runProbe({ baseUrl, apiKey: emulator.apiKey, write: true, ...clock });
    const shown = report.leftBehind.map((one) =>
      leftText(one).replace(/qr-service-probe .*?, safe to delete( ë東)?/, 'NAME to delete'),
    );
    expect(shown).toEqual(left.map((text) => expect.stringMatching(text) as string));
    if (at === 'DELETE')
      expect(finding(report, 'webhooks.unsubscribe')?.value ?? '').not.toContain('removed');
  });

  test.each(['POST /qr', 'POST /webhooks', 'GET /scans', 'GET /qr'])(
    'stopped at %s: cleans up, and lists what it leaves',
    async (stopAt) => {
      const { emulator, clock } = await startSeeded();
      const controller = new AbortController();
      const baseUrl = await startProxy(emulator.url, {
        response(draft, { method, path }) {
          if (`${method} ${path}` === stopAt) controller.abort();
          return draft;
        },
      });
      const report = await runProbe({
        baseUrl,
        apiKey: emulator.apiKey,
        write: true,
        signal: controller.signal,
        ...clock,
      });
      expect(report.stopped).toBe(true);
      const left = report.leftBehind.filter(({ what }) => what === 'code').length;
      const response = await fetch(`${emulator.url}${API_PATH}/qr`, {
        headers: { Authorization: `Bearer ${emulator.apiKey}` },
      });
      const { data } = (await response.json()) as { data: { name: string }[] };
      expect(left).toBe(data.filter(({ name }) => name.startsWith('qr-service-probe')).length);
      const isKnown = report.leftBehind.some(({ what }) => what === 'subscription');
      expect(emulator.control.subscriptions()).toHaveLength(isKnown ? 1 : 0);
    },
  );

  test('reports its progress', async () => {
    const steps: [number, number][] = [];
    await probeEmulator({}, { write: true, onProgress: ({ done, total }) => steps.push([done, total]) });
    expect(steps.map(([done]) => done)).toEqual(steps.map((_step, nth) => nth));
    expect(steps.at(-1)).toEqual([steps.length - 1, steps.length - 1]);
  });
});

describe('the shape', () => {
  test('carries names that are known to nobody', async () => {
    const wireShape: WireShape = {
      listKey: 'einträge',
      record: 'entry',
      secretKey: 'hmacSecret',
      scanRow: 'without id',
    };
    const shape = {
      format: 'qr-service-shape' as const,
      version: 1 as const,
      wireShape,
      scanFields: { qrId: 'codeId', scannedAt: 'timestamp' },
    };
    const { report } = await probeEmulator({ shape }, { write: true });
    expect(report.shape).toMatchObject(shape);
    expect(failed(report).map(({ id }) => id)).toEqual(['webhooks.secret']);
  });
});

test('shows no key, secret, name or target', async () => {
  const { report, emulator } = await probeEmulator({}, { write: true });
  const { findings, ...rest } = report;
  const shown = JSON.stringify({
    ...rest,
    findings: findings.map(({ details: _details, ...found }) => found),
    leftBehind: [],
  });
  expect(shown).not.toContain(emulator.apiKey);
  expect(shown).not.toMatch(/Table \d|example\.com\/menu/);
  expect(JSON.stringify(report)).toMatch(/Table \d/);
});

/** Where a response to subscribing may have its secret. */
const PLACES: Record<string, (draft: Draft, name: string, secret: string) => void> = {
  'a field': (draft, name, secret) => (draft.json = { ...(draft.json as object), [name]: secret }),
  'a nested field': (draft, name, secret) =>
    (draft.json = { ...(draft.json as object), keys: { list: [{ [name]: [secret] }] } }),
  'a sentence': (draft, name, secret) =>
    (draft.json = { ...(draft.json as object), [name]: `Keep ${secret}, it is shown once.` }),
  'a header': (draft, _name, secret) => (draft.headers['x-signing'] = secret),
  'a body that is no JSON': (draft, name, secret) =>
    Object.assign(draft, { json: undefined, bytes: Buffer.from(`${name}=${secret}\n`) }),
};
const base64 = (text: string) => Buffer.from(text).toString('base64');
const ENCODINGS: ((secret: string) => string)[] = [
  (secret) => secret,
  encodeURIComponent,
  (secret) => encodeURIComponent(encodeURIComponent(secret)),
  (secret) => Buffer.from(secret).toString('hex'),
  // As PHP, .NET and HTML do.
  (secret) => secret.replaceAll('/', String.raw`\/`),
  (secret) => secret.replaceAll('+', String.raw`\u002B`),
  (secret) => secret.replaceAll('+', '&#43;').replaceAll('/', '&#x2F;'),
  (secret) => base64(`${secret}:`),
  (secret) => base64(`user:${secret}`),
];

test('no output contains a secret with any name, in any place, or repeated by a later response', async () => {
  const { emulator, clock } = await startSeeded({ rateLimit: { limit: 100_000, windowSeconds: 60 } });
  let alter: Alteration['response'] = () => undefined;
  const baseUrl = await startProxy(emulator.url, { response: (draft, seen) => alter?.(draft, seen) });
  await fc.assert(
    fc.asyncProperty(
      fc.string({
        unit: fc.constantFrom('a', 'b', 'Y', 'Z', '0', '9', '_', '-', '+', '/', '%'),
        minLength: 16,
        maxLength: 60,
      }),
      fc.constantFrom(...Object.keys(PLACES)),
      fc.string().filter((name) => name !== 'id'),
      fc.constantFrom(...ENCODINGS),
      // Errors are cut at 500 characters.
      fc.integer({ min: 440, max: 500 }),
      async (random, place, name, encode, length) => {
        const secret = `s1${random}`;
        let isKnown = false;
        alter = (draft, { method, path }) => {
          if (isKnown && draft.status >= 400)
            draft.json = { ...REFUSAL, message: `${'x'.repeat(length)} ${encode(secret)}` };
          if (isKnown) draft.headers['x-repeated'] = encode(secret);
          if (isKnown && method === 'DELETE') draft.status = 500;
          if (method === 'POST' && path === '/webhooks') {
            isKnown = true;
            PLACES[place]?.(draft, name, secret);
          }
          return draft;
        };
        const report = await runProbe({ baseUrl, apiKey: emulator.apiKey, write: true, ...clock });
        expect(isKnown).toBe(true);
        const shown = [
          terminalReport(report, { width: 100, colors: false }),
          htmlReport(report, '1'),
          jsonReport(report),
          shapeFile(report.shape),
        ].join('\n');
        for (const key of [secret, emulator.apiKey])
          for (const form of ENCODINGS) expect(shown).not.toContain(form(key).replace(/.?=*$/, ''));
        // Half of it is still a secret.
        expect(shown).not.toContain(secret.slice(0, 12));
      },
    ),
    { numRuns: 40 },
  );
});
