import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { EVENT_TYPES } from '@qr-service/core';
import { EVENTS } from '@qr-service/core/connector';
import type { EmulatorOptions } from 'qr-service-emulator';
import { COMMANDS } from '../src/cli/commands/index.ts';
import { killCommands, runCommand } from './support/command.ts';
import { stopReceivers } from './support/receiver.ts';
import { runInProcess } from './support/runInProcess.ts';
import { codeInput, startService, stopServices } from './support/service.ts';
import { startSubscribed } from './support/subscribed.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

afterEach(async () => {
  killCommands();
  await stopServices();
  await stopReceivers();
  removeTempFolders();
});

async function start(options?: EmulatorOptions) {
  const service = await startSubscribed(undefined, options);
  const run = (...args: string[]) => runInProcess(...args, '--url', service.emulator.url);
  const runJson = async (...args: string[]) => {
    const { out } = await run(...args, '--json');
    return out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { ...service, control: service.emulator.control, run, runJson };
}

const CALLS: Record<string, string[]> = {
  trigger: ['trigger', 'qr.created'],
  resend: ['resend', 'dlv_1'],
  tail: ['tail'],
  snapshot: ['snapshot', 'load', '/dev/null'],
};

describe.each(COMMANDS.map(({ name }) => name))('%s', (name) => {
  it('documents its arguments, its options and its exit codes in --help', async () => {
    const { code, out } = await runInProcess(name, '--help');
    expect(code).toBe(0);
    const { args, options = {} } = COMMANDS.find((command) => command.name === name)!;
    for (const word of [...args, ...Object.keys(options), '--url <url>', '--json', 'Exit codes: 0 '])
      expect(out).toContain(word);
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(110);
    expect((await runInProcess('--help')).out).toContain(`  ${[name, ...args].join(' ')}`);
  });

  it.each([
    [['--colour'], "Unknown option '--colour'. Usage: "],
    [['--url', ''], '--url must not be empty. Usage: '],
    [['a', 'b', 'c'], "Unexpected argument '"],
  ])('refuses %j with one line that says what to type', async (args, sentence) => {
    const { code, out, err } = await runInProcess(name, ...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(sentence);
    expect(err).toContain(`qr-service-emulator ${name}`);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  const call = CALLS[name];
  // A snapshot file is read before the emulator is asked.
  if (call === undefined || name === 'snapshot') return;

  it('says that no emulator answers, and what to do', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await new Promise((resolve) => server.close(resolve));
    expect(await runInProcess(...call, '--url', url)).toEqual({
      code: 1,
      out: '',
      err: `No emulator answers at ${url} (ECONNREFUSED). Start one with qr-service-emulator, or pass the address that it printed with --url.\n`,
    });
  });

  it.each([
    ['a web page', 200, '<html>', "isn't a QR service emulator"],
    ['JSON', 200, '{"a":1}'.slice(0, -1), "isn't a QR service emulator"],
    ['a plain 404', 404, 'Not found', "isn't a QR service emulator"],
    [
      'an emulator without the route',
      404,
      '{"error":"X doesn\'t exist. GET /_emulator lists the routes."}',
      'is of another version',
    ],
  ])('says that the address serves %s', async (_what, status, body, sentence) => {
    const server = createServer((_request, response) => void response.writeHead(status).end(body)).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, err } = await runInProcess(...call, '--url', url);
    server.close();
    server.closeAllConnections();
    expect({ code, lines: err.trim().split('\n').length }).toEqual({ code: 1, lines: 1 });
    expect(err).toContain(sentence);
  });
});

test.each([
  [['trigger'], '<event> is missing.'],
  [['trigger', 'qr.eaten'], 'Unknown event qr.eaten. Use one of: qr.created, '],
  [['trigger', 'qr.created', '--count', '0'], '--count must be a whole number from 1 to 10000, not 0.'],
  [['trigger', 'qr.created', '--count', 'many'], '--count must be a whole number from 1 to 10000, not many.'],
  [['trigger', 'qr.created', '--data', '/none.json'], "The data in /none.json can't be read (ENOENT)."],
  [['resend'], '<delivery> is missing.'],
  [['tail', '--url', 'localhost:4010'], '--url must be the address that the emulator printed'],
  [['snapshot', 'save'], '<file> is missing.'],
  [['snapshot', 'copy', 'x.json'], 'Use snapshot save x.json or snapshot load x.json, not copy.'],
  [['snapshot', 'load', 'x.json', '--with-secrets'], '--with-secrets is for snapshot save.'],
])('refuses %j with one line', async (args, sentence) => {
  const { code, out, err } = await runInProcess(...args);
  expect({ code, out, lines: err.trim().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 });
  expect(err).toContain(sentence);
});

describe('trigger', () => {
  it.each(EVENT_TYPES)('delivers %s with data in the form of its sample', async (type) => {
    const { runJson, control, receiver } = await start();
    const [event] = await runJson('trigger', type);
    await control.settled();
    expect(event).toMatchObject({ type, subscriptions: 1 });
    expect(receiver.received).toHaveLength(1);
    const { data } = JSON.parse(receiver.received[0]!.body) as { data: object };
    expect(Object.keys(data)).toEqual(Object.keys(EVENTS[type].sampleData));
  });

  it('is about a code of the workspace whose state fits the event', async () => {
    const { runJson, call, createCode } = await start();
    const published = await createCode('Published');
    await call('POST', `/qr/${published.id}/publish`);
    const draft = await createCode('Draft');
    const about = async (type: string) => (await runJson('trigger', type))[0]?.['data'];
    expect(await about('qr.published')).toMatchObject({ qrId: published.id, qr: { status: 'published' } });
    const { json } = await call('GET', `/qr/${draft.id}`);
    expect(await about('qr.created')).toMatchObject({ qrId: draft.id, qr: json });
    expect(await about('qr.archived')).toEqual(EVENTS['qr.archived'].sampleData);
  });

  it('emits it --count times, each with its own ID, to every subscription that includes it', async () => {
    const { run, runJson, control, receiver, subscribe } = await start();
    await subscribe('qr.created');
    const events = await runJson('trigger', 'qr.created', '--count', '3');
    await control.settled();
    expect(events.map(({ subscriptions }) => subscriptions)).toEqual([2, 2, 2]);
    expect(new Set(receiver.received.map(({ body }) => (JSON.parse(body) as { id: string }).id)).size).toBe(
      3,
    );
    expect((await run('trigger', 'export.ready')).out).toMatch(
      /^evt_\w+ {2}export\.ready {2}sent to 1 subscription\n$/,
    );
  });

  it('says plainly when no subscription includes the event', async () => {
    const { emulator } = await startService();
    const { code, out } = await runInProcess('trigger', 'qr.created', '--url', emulator.url);
    expect(code).toBe(0);
    expect(out).toContain('sent to nobody: no subscription includes this event.');
  });

  it.each([
    ['{"exportId":"e1"}', undefined],
    ['{"half":', "isn't valid JSON: "],
    ['[]', 'must be a JSON object'],
  ])('sends the data in a file, or says what is wrong with it: %s', async (text, sentence) => {
    const file = tempFile('data.json');
    writeFileSync(file, text);
    const { run, control } = await start();
    const { code, err } = await run('trigger', 'export.ready', '--data', file);
    const sent = control.deliveries().map(({ body }) => (JSON.parse(body) as { data: unknown }).data);
    expect(sent).toEqual(sentence === undefined ? [JSON.parse(text)] : []);
    expect(code).toBe(sentence === undefined ? 0 : 1);
    expect(err).toContain(sentence ?? '');
  });

  it('reads the data from stdin', async () => {
    const { emulator, control } = await start();
    const { child, ended } = runCommand(['trigger', 'export.ready', '--data', '-', '--url', emulator.url]);
    child.stdin.end('{"exportId":"e2"}');
    expect(await ended).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(control.deliveries()[0]!.body)).toMatchObject({ data: { exportId: 'e2' } });
  });
});

test('resend redelivers with the same delivery ID or a new one, or says why not', async () => {
  const { run, runJson, control, receiver } = await start();
  control.emit('export.ready');
  await control.settled();
  const { id } = control.deliveries()[0]!;
  expect((await run('resend', id)).out).toBe(`${id}  queued for redelivery\n`);
  await control.settled();
  const [other] = await runJson('resend', id, '--new-id');
  await control.settled();
  const ids = receiver.received.map(({ headers }) => headers['x-service-delivery']);
  expect(ids).toEqual([id, id, other?.['id']]);
  expect(await run('resend', 'dlv_none')).toMatchObject({
    code: 1,
    err: 'No delivery with ID dlv_none was found.\n',
  });
});

test('the feed resumes where it was left, and begins again for a reader of another run', async () => {
  const { call, control } = await startService().then(({ call, emulator }) => ({
    call,
    control: emulator.control,
  }));
  for (const path of ['/me', '/qr', '/scans']) await call('GET', path);
  const read = async (place: object, count: number) => {
    const entries = [];
    for await (const entry of control.feed(place)) {
      entries.push(entry);
      if (entries.length === count) break;
    }
    return entries;
  };
  const [begin] = await read({}, 1);
  expect(begin).toMatchObject({ kind: 'start', seq: 3 });
  const paths = (entries: object[]) => entries.map((entry) => (entry as { path?: string }).path);
  expect(paths(await read({ run: begin!.run, after: 1 }, 3))).toEqual([
    undefined,
    '/v1/public-api/qr',
    '/v1/public-api/scans',
  ]);
  expect(paths(await read({ run: 'earlier', after: 7 }, 2))).toEqual([undefined, '/v1/public-api/me']);
});

describe('snapshot', () => {
  /** Everything that a client or the control API can see. */
  async function visible({ emulator, call }: Awaited<ReturnType<typeof start>>) {
    const { control } = emulator;
    return {
      me: (await call('GET', '/me')).json,
      codes: (await call('GET', '/qr')).json,
      scans: (await call('GET', '/scans')).json,
      deliveries: control.deliveries(),
      subscriptions: control.subscriptions(),
      wireShape: control.wireShape(),
      faults: control.faults().map(({ fault, left }) => ({ ...fault, times: left })),
    };
  }

  async function filled() {
    const service = await start({
      redirectUrl: 'https://qr.example.com',
      apiKey: 'first-key',
      idSeed: 'one',
    });
    const { control, call, createCode } = service;
    const { id } = await createCode('Terrace');
    await call('POST', `/qr/${id}/publish`);
    await fetch(`${service.emulator.url}/r/${String((await call('GET', `/qr/${id}`)).json['slug'])}`, {
      redirect: 'manual',
    });
    control.answerFeedback(id, 3);
    control.createKey({ name: 'Till', apiKey: 'till-key-of-32-bytes', scopes: ['qr:read'] });
    control.setWireShape({ listEnd: 'missing' });
    control.failNext({ preset: 'slow', times: Infinity, match: { path: '/never' } });
    await control.settled();
    return service;
  }

  it('brings everything into another emulator, with secrets where they were asked for', async () => {
    const from = await filled();
    const file = tempFile('all.json');
    expect((await from.run('snapshot', 'save', file, '--with-secrets')).out).toContain('keep it to yourself');
    expect(statSync(file).mode & 0o077).toBe(0);
    const to = await start({ redirectUrl: 'https://qr.example.com', apiKey: 'second-key', idSeed: 'one' });
    await to.createCode('Lost');
    const [loaded] = await to.runJson('snapshot', 'load', file);
    expect(loaded).toMatchObject({ codes: 1, subscriptions: 1, scans: 1, newSecrets: 0 });
    expect(await visible(to)).toEqual(await visible(from));
    for (const apiKey of ['first-key', 'second-key', 'till-key-of-32-bytes'])
      expect((await to.call('GET', '/me', { apiKey })).status).toBe(200);
    // IDs that were used before the file was saved don't come again.
    expect((await to.call('POST', '/qr', { body: codeInput('Next') })).status).toBe(201);
    to.control.reset();
    expect((await to.call('GET', '/qr')).json['data']).toEqual([]);
  });

  it('leaves secrets out, and keeps those that the loading emulator has', async () => {
    const from = await filled();
    const { secret } = from;
    await from.call('POST', '/webhooks', {
      body: { url: 'https://hooks.example.com/again', eventTypes: ['qr.created'] },
      headers: { 'Idempotency-Key': 'subscribe once' },
    });
    const [second] = from.control.subscriptions().slice(-1);
    const file = tempFile('shared.json');
    expect((await from.run('snapshot', 'save', file)).out).toContain('no signing secrets');
    const text = readFileSync(file, 'utf8');
    for (const hidden of [secret, second!.secret, 'first-key', 'till-key-of-32-bytes'])
      expect(text).not.toContain(hidden);

    expect((await from.runJson('snapshot', 'load', file))[0]).toMatchObject({ newSecrets: 0 });
    expect(from.control.subscriptions().map((each) => each.secret)).toEqual([secret, second!.secret]);

    const to = await start();
    expect((await to.run('snapshot', 'load', file)).out).toContain(
      'Signing secrets replaced, as the file has none: 2.',
    );
    for (const replaced of to.control.subscriptions())
      expect(replaced.secret).toMatch(/^whsec_replaced_.{40}/);
    to.control.emit('qr.created');
    await to.control.settled();
    expect(to.receiver.received.length).toBeGreaterThan(0);
  });

  type Content = Record<string, unknown> & { state: { tables: Record<string, { rows: unknown[][] }> } };
  it.each<[string, (content: Content) => unknown, string]>([
    ['cut short', (content) => JSON.stringify(content).slice(0, 1000), "it isn't valid JSON"],
    ['foreign JSON', () => ({ name: 'package' }), "It isn't a snapshot of the QR service emulator."],
    ['a foreign list', () => [1], 'nothing was changed. It must be an object'],
    [
      'changed by hand',
      (content) => (content.state.tables['qr_codes']!.rows.pop(), content),
      "its checksum doesn't match",
    ],
    ['of a newer format', (content) => ({ ...content, version: 2 }), 'newer version of the emulator'],
    ['of newer tables', (content) => ({ ...content, tables: 99 }), 'newer version of the emulator'],
    ['of older tables', (content) => ({ ...content, tables: 1 }), 'older version of the emulator'],
    ['without a version', ({ version: _version, ...content }) => content, 'its version is missing'],
  ])('refuses a file that is %s and changes nothing', async (_what, damage, sentence) => {
    const service = await filled();
    const file = tempFile('bad.json');
    await service.run('snapshot', 'save', file);
    const bad = damage(JSON.parse(readFileSync(file, 'utf8')) as Content);
    writeFileSync(file, typeof bad === 'string' ? bad : JSON.stringify(bad));
    const before = await visible(service);
    const { code, err } = await service.run('snapshot', 'load', file);
    expect({ code, lines: err.trim().split('\n').length }).toEqual({ code: 1, lines: 1 });
    expect(err).toContain(sentence);
    expect(await visible(service)).toEqual(before);
  });

  it.each([
    ['qr_codes', 'updated_at', 'yesterday', "a row can't be stored"],
    ['api_keys', 'scopes', 'all', "a row can't be read"],
    ['subscriptions', 'event_types', 'all', "a row can't be read"],
    ['subscriptions', 'url', 'nowhere', "a row can't be read"],
  ])(
    'changes nothing when a file with a valid checksum has an invalid %s.%s',
    async (table, column, value, sentence) => {
      const service = await filled();
      const { state, ...rest } = service.control.saveState();
      const { columns, rows } = state.tables[table]!;
      for (const row of rows) row[columns.indexOf(column)] = value;
      const checksum = createHash('sha256').update(JSON.stringify(state)).digest('hex');
      const before = await visible(service);
      expect(() => service.control.loadState({ ...rest, state, checksum })).toThrow(
        `It is damaged: ${sentence}`,
      );
      expect(await visible(service)).toEqual(before);
    },
  );

  it("overwrites a snapshot, but no other file, and says when a file can't be used", async () => {
    const { run } = await start();
    const file = tempFile('kept.json');
    writeFileSync(file, '{"name":"precious"}');
    expect((await run('snapshot', 'save', file)).err).toContain(
      "exists and isn't a snapshot, so it wasn't overwritten",
    );
    expect(readFileSync(file, 'utf8')).toBe('{"name":"precious"}');
    const other = tempFile('twice.json');
    for (const _time of [1, 2]) expect((await run('snapshot', 'save', other)).code).toBe(0);
    expect((await run('snapshot', 'save', '/none/x.json')).err).toBe(
      "/none/x.json can't be written (ENOENT).\n",
    );
    expect((await run('snapshot', 'load', '/none/x.json')).err).toBe(
      "/none/x.json can't be read (ENOENT).\n",
    );
  });
});
