import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { EVENTS } from '@qr-service/core/connector';
import type { EmulatorOptions } from 'qr-service-emulator';
import { COMMANDS } from '../src/cli/commands/index.ts';
import { stopReceivers } from './support/receiver.ts';
import { runInProcess } from './support/runInProcess.ts';
import { startService, stopServices } from './support/service.ts';
import { startSubscribed } from './support/subscribed.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

afterEach(async () => {
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
    [['--color'], "Unknown option '--color'. Usage: "],
    [['--url', ''], '--url must not be empty. Usage: '],
    [['a', 'b', 'c'], "Unexpected argument '"],
  ])('refuses %j with one line that says what to type', async (args, sentence) => {
    const { code, out, err } = await runInProcess(name, ...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(sentence);
    expect(err).toContain(`qr-service-emulator ${name}`);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  const call = CALLS[name]!;

  it('says that no emulator responds, and what to do', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await new Promise((resolve) => server.close(resolve));
    expect(await runInProcess(...call, '--url', url)).toEqual({
      code: 1,
      out: '',
      err: `No emulator responds at ${url} (ECONNREFUSED). Start one with qr-service-emulator, or pass the address that it printed with --url.\n`,
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
])('refuses %j with one line', async (args, sentence) => {
  const { code, out, err } = await runInProcess(...args);
  expect({ code, out, lines: err.trim().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 });
  expect(err).toContain(sentence);
});

describe('trigger', () => {
  it.each(['qr.created', 'feedback.low_score_received', 'export.ready'] as const)(
    'delivers %s with data in the form of its sample',
    async (type) => {
      const { runJson, control, receiver } = await start();
      const [event] = await runJson('trigger', type);
      await control.settled();
      expect(event).toMatchObject({ type, subscriptions: 1 });
      expect(receiver.received).toHaveLength(1);
      const { data } = JSON.parse(receiver.received[0]!.body) as { data: object };
      expect(Object.keys(data)).toEqual(Object.keys(EVENTS[type].sampleData));
    },
  );

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
