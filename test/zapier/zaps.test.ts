import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { WIRE_CHOICES } from 'qr-service-emulator';
import { decodeQr } from '../support/decodeQr.ts';
import { SEED } from '../support/seed.ts';
import { WIRE_SHAPES } from '../support/wireShapes.ts';
import { createDedupeTable, keyOf } from './support/dedupeTable.ts';
import { nextRequest } from './support/deliveries.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

type Row = Record<string, unknown>;

let world: World;
afterEach(() => world.close());

/** The page that a phone reaches through a short link. */
async function leadsTo(link: unknown): Promise<string | null> {
  return (await fetch(String(link), { redirect: 'manual' })).headers.get('location');
}

describe('a Zap that turns rows of a sheet into printed codes', () => {
  beforeEach(async () => {
    world = await startWorld();
  });

  test('creates a published code and an image that leads to the target URL for each row', async () => {
    const sheet = ['Door', 'Table 4', 'Löwenbräu 四'].map((name, index) => ({
      id: `row-${index}`,
      name,
      target: `https://example.com/${index}`,
    }));
    for (const row of sheet) {
      const created = await world.engine.create('create_qr_code', {
        name: row.name,
        targetUrl: row.target,
        publishNow: false,
        deduplicationKey: row.id,
      });
      const published = await world.engine.create('publish_qr_code', { qrCodeId: created['id'] });
      const rendered = await world.engine.create('render_qr_code', {
        qrCodeId: published['id'],
        format: 'png',
      });
      const file = await world.engine.hydrateFile(rendered['file']);

      expect(file.contentType).toBe('image/png');
      expect(decodeQr(file.bytes)).toBe(created['publicUrl']);
      expect(await leadsTo(decodeQr(file.bytes))).toBe(row.target);
    }
  });

  test('updates where the printed code leads when a cell changes, and nothing else', async () => {
    const input = { name: 'Menu', targetUrl: 'https://example.com/summer', publishNow: true };
    const { id: qrCodeId } = await world.engine.create('create_qr_code', input);
    const printed = async () => {
      const { file } = await world.engine.create('render_qr_code', { qrCodeId });
      return decodeQr((await world.engine.hydrateFile(file)).bytes);
    };
    const link = await printed();
    await world.engine.create('retarget_qr_code', { qrCodeId, url: 'https://example.com/winter' });
    expect(await leadsTo(link)).toBe('https://example.com/winter');
    expect(await printed()).toBe(link);
  });

  test.each([{ searchBy: 'name' }, {}])(
    'creates one code when "find or create" runs twice, with %j',
    async (by) => {
      const search = { ...by, value: 'Window' };
      const create = { name: 'Window', targetUrl: 'https://example.com', publishNow: true };
      const run = () => world.engine.searchOrCreate('find_qr_code', search, create);
      const [first, second] = [await run(), await run()];
      expect(second['id']).toBe(first['id']);
      expect(await world.engine.search('find_qr_code', search)).toHaveLength(1);
    },
  );

  test('passes a found code on to every other step, with the fields that users map', async () => {
    const { id, publicUrl } = await world.engine.create('create_qr_code', {
      name: 'Table 7',
      targetUrl: 'https://example.com',
    });
    for (const value of ['Table 7', publicUrl, id]) {
      const [found] = await world.engine.search('find_qr_code', { value });
      for (const qrCodeId of [found?.['id'], found?.['publicUrl']])
        for (const step of ['publish_qr_code', 'retarget_qr_code', 'render_qr_code'])
          expect(await world.engine.create(step, { qrCodeId, url: 'https://example.com/7' })).toMatchObject({
            id,
          });
    }
  });
});

describe('a Zap that keeps a sheet in step with its printed codes', () => {
  interface SheetRow {
    name: string;
    url: string;
    id: string;
    link: string;
    result: string;
  }

  /** Runs the Zap for a row, with the mappings of the README, and writes its results back. */
  async function run(row: SheetRow, matchByName = 'yes'): Promise<void> {
    const input = { qrCodeId: row.id, matchByName, name: row.name, targetUrl: row.url };
    const { id, publicUrl, outcome } = await world.engine.create('upsert_qr_code', input);
    Object.assign(row, { id, link: publicUrl, result: outcome });
  }

  const newRow = (name: string): SheetRow => ({
    name,
    url: `https://example.com/${encodeURIComponent(name)}`,
    id: '',
    link: '',
    result: '',
  });
  const codeCount = async () => (await world.engine.dropdown('upsert_qr_code', 'qrCodeId')).choices.length;

  // These cover all responses to writes.
  test.each(WIRE_SHAPES.slice(0, 4))('whatever happens to it, with %s', async (_name, wireShape) => {
    world = await startWorld({ wireShape });
    const { control } = world.emulator;
    const sheet = ['Door', 'Table 4', 'Löwenbräu 四'].map(newRow);
    for (const row of sheet) await run(row);
    expect(sheet.map(({ result }) => result)).toEqual(['created', 'created', 'created']);
    const printed = sheet.map(({ link }) => link);

    // Cells change, one of them there and back.
    for (const url of [
      'https://example.com/winter',
      'https://example.com/Door',
      'https://example.com/winter',
    ]) {
      sheet[0]!.url = url;
      await run(sheet[0]!);
      expect(await leadsTo(printed[0])).toBe(url);
    }
    // An ID is lost, and the code is found by its name; a name changes, and the code is found by its ID.
    Object.assign(sheet[1]!, { id: '', url: 'https://example.com/found' });
    Object.assign(sheet[2]!, { name: 'Renamed in the sheet', url: 'https://example.com/renamed' });
    // Responses are lost.
    control.failNext({ drop: 'after', match: { method: 'POST' } });
    for (const row of sheet.slice(1)) await run(row);
    expect(sheet.map(({ link }) => link)).toEqual(printed);
    expect(await Promise.all(printed.map(leadsTo))).toEqual(sheet.map(({ url }) => url));
    expect(await codeCount()).toBe(3);
  });

  test('makes one code of two rows with the same new name, which Zapier runs one after the other', async () => {
    world = await startWorld();
    const rows = [newRow('Twin'), { ...newRow('Twin'), url: 'https://example.com/second' }];
    for (const row of rows) await run(row);
    expect(rows[1]!.link).toBe(rows[0]!.link);
    expect(await leadsTo(rows[0]!.link)).toBe('https://example.com/second');
    // Even if its lock failed, there is one.
    const others = [newRow('Other twin'), newRow('Other twin')];
    await Promise.all(others.map((row) => run(row)));
    expect(await codeCount()).toBe(2);
  });

  test.each(['yes', 'no'])(
    'finds a code that no list shows yet, with Match by Name %s',
    async (matchByName) => {
      world = await startWorld({ visibleAfterMs: 3_600_000 });
      const row = newRow('Changed at once');
      await run(row, matchByName);
      const { link } = row;
      row.url = 'https://example.com/at-once';
      await run(row, matchByName);
      expect(row).toMatchObject({ link, result: 'retargeted' });
      expect(await leadsTo(link)).toBe(row.url);
    },
  );

  test('its row is filled in by a replay, although the run failed between creating and publishing', async () => {
    world = await startWorld();
    world.emulator.control.failNext({ code: 'approval_required', match: { path: '/qr/*/publish' } });
    const row = newRow('Approved later');
    const { message } = await failureOf(run(row));
    expect(message).toContain('Replaying this run is safe too: it publishes this code.');
    await run(row);
    expect(await leadsTo(row.link)).toBe(row.url);
    expect(await codeCount()).toBe(1);
  });
});

test('a Zap that writes events to a sheet adds one row per event, however often it is delivered', async () => {
  world = await startWorld();
  const { control } = world.emulator;
  const hook = await world.engine.subscribe('feedback_response_received', HOOK_URL);
  const sheet: Row[] = [];
  const take = async (from: number) => {
    sheet.push(...(await hook.receive(await nextRequest(world, from))));
  };
  for (const score of [9, 3]) {
    const before = world.hooks.requests.length;
    const sample = { campaignId: 'cmp_1', placementId: 'plc_1', scoreKind: 'nps' };
    control.emit('feedback.response_received', { responseId: `rsp_${score}`, score, ...sample });
    await take(before);
    control.redeliver(control.deliveries().at(-1)?.id ?? '', { newDeliveryId: score === 3 });
    await take(before + 1);
  }
  expect(sheet).toMatchObject([
    { responseId: 'rsp_9', score: 9, scoreKind: 'nps' },
    { responseId: 'rsp_3', score: 3, scoreKind: 'nps' },
  ]);
});

/** Reproducible random numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('a Zap that watches 300 codes', () => {
  const CODES = 300;
  const poll = (meta: Row = {}) => world.engine.poll('qr_changed', {}, meta);
  const names = (rows: Iterable<Row>) => Object.fromEntries([...rows].map(({ id, name }) => [id, name]));

  /** A world with 300 codes whose clock never shows the same time twice. */
  async function start(wireShape: { listOrder: (typeof WIRE_CHOICES.listOrder)[number] }): Promise<string[]> {
    let clock = Date.now() - 3_600_000;
    world = await startWorld({ wireShape, now: () => (clock += 1) });
    const { url: baseUrl, apiKey } = world.emulator;
    const { qr } = new QrServiceClient({ baseUrl, apiKey, transport: undiciTransport() });
    const input = { mode: 'dynamic', contentType: 'url', content: { targetUrl: 'https://example.com' } };
    const codes = await Promise.all(
      Array.from({ length: CODES }, (_, index) => qr.create({ name: `Code ${index}`, ...input })),
    );
    return codes.map(({ id }) => id);
  }

  /** Renames some codes, some of them more than once, and returns their new names. */
  function edit(ids: readonly string[], random: () => number, edits: number): Record<string, string> {
    const changed: Record<string, string> = {};
    for (let index = 0; index < edits; index++) {
      const id = ids[Math.floor(random() * ids.length)] ?? '';
      const name = `Edit ${random()}`;
      world.emulator.control.rename(id, name);
      changed[id] = name;
    }
    return changed;
  }

  test.each(WIRE_CHOICES.listOrder)(
    'receives each change exactly once when the list order is %s',
    async (listOrder) => {
      const random = randomFrom(SEED);
      const fresh = createDedupeTable(['id', 'updatedAt']);
      const ids = await start({ listOrder });
      expect(fresh(await poll({ isPopulatingDedupe: true }))).toHaveLength(CODES);
      for (const edits of [0, 1, 40, 0, 600, CODES]) {
        const changed = edit(ids, random, edits);
        const rows = fresh(await poll());
        expect(names(rows)).toEqual(changed);
        expect(rows).toHaveLength(Object.keys(changed).length);
        const times = rows.map(({ updatedAt }) => String(updatedAt));
        expect(times).toEqual(times.toSorted().reverse());
      }
      expect(fresh(await poll())).toEqual([]);
    },
    60_000,
  );

  test('receives a whole burst of changes at 100 new rows per poll, with edits in between', async () => {
    const random = randomFrom(SEED);
    const fresh = createDedupeTable(['id', 'updatedAt'], 100);
    const ids = await start({ listOrder: 'ascending' });
    const taken: Row[] = [];
    const last: Record<string, string> = Object.fromEntries(ids.map((id, index) => [id, `Code ${index}`]));
    for (const edits of [30, 30, 30, 0, 0]) {
      taken.push(...fresh(await poll()));
      Object.assign(last, edit(ids, random, edits));
    }
    taken.push(...fresh(await poll()));
    expect(new Set(taken.map((row) => keyOf(['id', 'updatedAt'], row))).size).toBe(taken.length);
    // The latest state of each code, in the order of the changes.
    const inOrder = taken.toSorted((a, b) => String(a['updatedAt']).localeCompare(String(b['updatedAt'])));
    expect(names(inOrder)).toEqual(last);
  });
});
