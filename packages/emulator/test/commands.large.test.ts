import { bannerOf, killCommands, runCommand } from './support/command.ts';
import { startService, stopServices } from './support/service.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

afterEach(async () => {
  killCommands();
  await stopServices();
  removeTempFolders();
});

/** Repeats some work until the promise is fulfilled: nothing tells when another process is connected. */
async function repeatUntil(done: Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
  const state = { isDone: false };
  const end = done.then(() => (state.isDone = true));
  while (!state.isDone) await work();
  await end;
}

test('trigger emits every event, even if its output is closed', async () => {
  const { emulator } = await startService({
    seed: { subscriptions: [{ url: 'https://hooks.example.com/' }] },
    connectTo: { 'hooks.example.com': '127.0.0.1:9' },
  });
  const { child, ended, printed } = runCommand([
    'trigger',
    'qr.created',
    '--count',
    '50',
    '--url',
    emulator.url,
  ]);
  await printed('evt_');
  child.stdout.destroy();
  expect(await ended).toMatchObject({ code: 0, err: '' });
  expect(emulator.control.deliveries()).toHaveLength(50);
});

test('trigger reads the data from stdin', async () => {
  const { emulator } = await startService({
    seed: { subscriptions: [{ url: 'https://hooks.example.com/' }] },
  });
  const { child, ended } = runCommand(['trigger', 'export.ready', '--data', '-', '--url', emulator.url]);
  child.stdin.end('{"exportId":"e2"}');
  expect(await ended).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(emulator.control.deliveries()[0]!.body)).toMatchObject({ data: { exportId: 'e2' } });
});

describe('tail', () => {
  it('prints requests and deliveries, reconnects after a restart, misses nothing and ends on SIGINT', async () => {
    const db = tempFile('emulator.db');
    const args = ['--db', db, '--api-key', 'test', '--port'];
    const first = runCommand([...args, '0']);
    const { url } = await bannerOf(first);
    const ask = (path: string) =>
      fetch(`${url}/v1/public-api${path}`, { headers: { Authorization: 'Bearer test' } });
    const tail = runCommand(['tail', '--url', url]);
    const json = runCommand(['tail', '--url', url, '--json']);
    await repeatUntil(Promise.all([tail.printed('/me'), json.printed('/me')]), () => ask('/me'));
    first.child.kill('SIGINT');
    await first.ended;
    const second = runCommand([...args, new URL(url).port]);
    await bannerOf(second);
    await ask('/qr?limit=0');
    await tail.printed('GET /v1/public-api/qr?limit=0 → 422 validation_failed (limit)');
    await json.printed('"limit"');
    for (const { child } of [tail, json]) child.kill('SIGINT');
    const [text, lines] = await Promise.all([tail.ended, json.ended]);
    expect([text.code, lines.code]).toEqual([0, 0]);
    expect(text.err).toBe(
      `The emulator at ${url} has stopped. Waiting for it to come back.\nConnected to ${url} again.\n`,
    );
    const last = lines.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
      .at(-1);
    expect(last).toMatchObject({
      kind: 'request',
      status: 422,
      code: 'validation_failed',
      fields: ['limit'],
    });
  });

  it('ends with 0 when its output is closed', async () => {
    const { call, emulator } = await startService();
    const { child, ended, printed } = runCommand(['tail', '--url', emulator.url]);
    const ask = () => call('GET', '/me');
    await repeatUntil(printed('/me'), ask);
    child.stdout.destroy();
    await repeatUntil(ended, ask);
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });
});
