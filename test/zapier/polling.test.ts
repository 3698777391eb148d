import { createDedupeTable } from './support/dedupeTable.ts';
import { startWorld, type World } from './support/world.ts';

const HOUR = 60 * 60 * 1000;

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

const create = (name: string, publishNow = false) =>
  world.engine.create('create_qr_code', { name, targetUrl: 'https://example.com', publishNow });

describe('qr_changed', () => {
  const poll = (meta = {}) => world.engine.poll('qr_changed', {}, meta);
  const names = (rows: Record<string, unknown>[]) => rows.map(({ name }) => name);

  test('returns codes newest first, each change once', async () => {
    const fresh = createDedupeTable(['id', 'updatedAt']);
    const [one, two] = [await create('One'), await create('Two')];
    fresh(await poll({ isPopulatingDedupe: true }));
    expect(fresh(await poll())).toEqual([]);

    world.emulator.control.rename(String(one['id']), 'One, changed');
    await create('Three');
    expect(names(fresh(await poll()))).toEqual(['Three', 'One, changed']);

    world.emulator.control.rename(String(two['id']), 'Two, changed');
    expect(names(fresh(await poll()))).toEqual(['Two, changed']);
    expect(fresh(await poll())).toEqual([]);
  });

  test.each([
    ['any code', false],
    ['one code', true],
  ])(
    'with a status filter, starts when %s gets the status after the Zap was turned on',
    async (_of, isOne) => {
      const fresh = createDedupeTable(['id', 'updatedAt']);
      const draft = await create('Draft');
      await create('Published before', true);
      const input = { status: 'published', ...(isOne && { qrCodeId: draft['id'] }) };
      const published = async (meta = {}) => names(fresh(await world.engine.poll('qr_changed', input, meta)));
      expect(await published({ isPopulatingDedupe: true })).toEqual(isOne ? [] : ['Published before']);
      world.emulator.control.rename(String(draft['id']), 'Still a draft');
      expect(await published()).toEqual([]);
      await world.engine.create('publish_qr_code', { qrCodeId: draft['id'] });
      expect(await published()).toEqual(['Still a draft']);
      expect(await published()).toEqual([]);
    },
  );

  test('shows the most recently changed codes in the editor, however they are listed', async () => {
    await world.close();
    const codes = Array.from({ length: 230 }, (_, index) => ({
      id: `qr_${index}`,
      name: `Code ${index}`,
      targetUrl: 'https://example.com',
    }));
    world = await startWorld({ seed: { codes } });
    const { control } = world.emulator;
    control.clock.advance(2 * HOUR);
    for (const index of [7, 120, 229]) {
      control.clock.advance(1000);
      control.rename(`qr_${index}`, `Changed ${index}`);
    }
    for (const listOrder of ['ascending', 'descending', 'id'] as const) {
      control.changeSettings({ listOrder });
      const rows = await poll({ isLoadingSample: true });
      expect(names(rows).slice(0, 3)).toEqual(['Changed 229', 'Changed 120', 'Changed 7']);
      expect(rows).toHaveLength(10);
    }
  });
});

describe('new_scan', () => {
  test('shows the latest scans in the editor', async () => {
    await world.close();
    const now = Date.now();
    const at = (index: number) => new Date(now + (index - 170) * HOUR).toISOString();
    const scans = Array.from({ length: 170 }, (_, index) => ({ scannedAt: at(index) }));
    const target = { name: 'Old', targetUrl: 'https://example.com' };
    const codes = [
      { id: 'qr_old', ...target, scans },
      { id: 'qr_few', ...target, scans: [{ scannedAt: at(155.5) }] },
    ];
    world = await startWorld({ seed: { codes } });
    const shown = async (qrCodeId?: string) =>
      (await world.engine.poll('new_scan', { qrCodeId }, { isLoadingSample: true })).map(
        (row) => row['scannedAt'],
      );
    const latest = Array.from({ length: 10 }, (_, index) => at(169 - index));
    expect([await shown(), await shown('qr_old'), await shown('qr_few')]).toEqual([
      latest,
      latest,
      [at(155.5)],
    ]);
  });

  test('a poll of a workspace with 2,000 scans in three days takes few requests', async () => {
    await world.close();
    const at = (index: number) => new Date(Date.now() - (index * 72 * HOUR) / 2000).toISOString();
    const scans = Array.from({ length: 2000 }, (_, index) => ({ scannedAt: at(1999 - index) }));
    world = await startWorld({
      seed: { codes: [{ name: 'Busy', targetUrl: 'https://example.com', scans }] },
    });
    expect((await world.engine.poll('new_scan')).length).toBeGreaterThan(160);
    expect(world.emulator.control.requestCount()).toBe(4);
  });

  test('returns each scan once, newest first', async () => {
    const fresh = createDedupeTable(['id']);
    const code = await create('Scanned', true);
    const scan = async (agent: string) =>
      (
        await fetch(String(code['publicUrl']), { redirect: 'manual', headers: { 'user-agent': agent } })
      ).text();
    const poll = (meta = {}) => world.engine.poll('new_scan', {}, meta);
    expect(await poll({ isLoadingSample: true })).toEqual([]);
    await scan('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)');
    await scan('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)');
    const rows = fresh(await poll());
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ qrId: code['id'], id: expect.any(String) });
    expect(String(rows[0]?.['scannedAt']) >= String(rows[1]?.['scannedAt'])).toBe(true);
    expect(fresh(await poll())).toEqual([]);
    await scan('Mozilla/5.0 (Linux; Android 15)');
    expect(fresh(await poll())).toHaveLength(1);
  });
});
