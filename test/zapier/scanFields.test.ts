import app from 'zapier-qr-service';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { startWorld, type World } from './support/world.ts';

const STATIC = ['scannedAt', 'id', 'qrId'];

let world: World;
beforeAll(async () => {
  world = await startWorld({ allowedDimensions: ['country', 'device', 'os'] });
});
afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});
afterAll(() => world.close());

const fieldsOf = async (engine = world.engine) =>
  (await engine.outputFields('triggers.new_scan')).map(({ key, label }) => [key, label]);

/** The fields with a service that responds with this body. */
async function fieldsFor(body: unknown): Promise<unknown[][]> {
  const { url } = await serve((_request, response) => response.end(JSON.stringify(body)));
  return fieldsOf(await world.connect('key', url));
}

const dimensions = (allowedDimensions: unknown) => ({ data: [], allowedDimensions });

test("New Scan labels the dimensions that the workspace's privacy settings permit", async () => {
  expect(await fieldsOf()).toEqual([
    ['scannedAt', 'Scanned At'],
    ['country', 'Country'],
    ['device', 'Device'],
    ['os', 'OS'],
    ['id', 'Scan ID'],
    ['qrId', 'QR Code ID'],
  ]);
});

test('has a label for every field of a live scan', async () => {
  const code = await world.engine.create('create_qr_code', {
    name: 'Scanned',
    targetUrl: 'https://example.com',
  });
  await (await fetch(String(code['publicUrl']), { redirect: 'manual' })).text();
  const [row] = await world.engine.poll('new_scan');
  expect((await fieldsOf()).map(([key]) => key)).toEqual(Object.keys(row ?? {}));
});

test.each([
  [
    'names of several words',
    ['deviceType', 'utm_source', 'Land', 'país'],
    ['Device Type', 'UTM Source', 'Land', 'País'],
  ],
  ['keys that Zapier reads as a path', ['geo__city', '__proto__', 'geo.city', 'a[]', 'fine'], ['Fine']],
  [
    'keys that are blank, too long or without a letter',
    ['', ' ', '_', '12', 'x'.repeat(70), 'fine'],
    ['Fine'],
  ],
  [
    'repeated keys and keys of the other fields',
    ['country', 'country', 'id', 'qrId', 'scannedAt'],
    ['Country'],
  ],
  ['names that objects inherit', ['constructor', 'toString'], ['Constructor', 'To String']],
])('labels %s', async (_what, allowed, labels) => {
  const fields = (await fieldsFor(dimensions(allowed))).filter(([key]) => !STATIC.includes(String(key)));
  expect(fields.map(([, label]) => label)).toEqual(labels);
});

test('labels no more than 100 of 10,000 dimensions', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `dimension ${index}`);
  expect(await fieldsFor(dimensions(many))).toHaveLength(STATIC.length + 100);
});

test.each([
  ['text', dimensions('country')],
  ['an object', dimensions({ country: true })],
  ['a list without text', dimensions([1, null, {}])],
  ['missing', { data: [] }],
  ['missing, as the response is text', 'hello'],
])('shows the other fields when the dimensions are %s', async (_what, body) => {
  expect((await fieldsFor(body)).map(([key]) => key)).toEqual(STATIC);
});

test.each([
  ['the key lacks the scope', () => world.emulator.control.createKey({ scopes: ['qr:read'] }).apiKey],
  ['the key is invalid', () => 'revoked'],
])('shows the other fields when %s', async (_what, key) => {
  expect((await fieldsOf(await world.connect(key()))).map(([key]) => key)).toEqual(STATIC);
});

test('shows the other fields when the service never responds, before the editor gives up', async () => {
  const time = startVirtualTime();
  let isCut = false;
  const { url } = await serve(({ socket }) => {
    socket.once('close', () => (isCut = true));
    setImmediate(() => time.advance(8000));
  });
  const began = Date.now();
  expect((await fieldsOf(await world.connect('key', url))).map(([key]) => key)).toEqual(STATIC);
  expect(Date.now() - began).toBeLessThan(20_000);
  // Nothing goes on in the background.
  await until(() => isCut);
});

test('only the ID identifies scans: Zapier ignores primary keys among fields that are loaded in the editor', () => {
  const fields = app.triggers['new_scan']?.operation.outputFields as { key: string; primary?: boolean }[];
  expect(fields.filter(({ primary }) => primary).map(({ key }) => key)).toEqual(['id']);
});
