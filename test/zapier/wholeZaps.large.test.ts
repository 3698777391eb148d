import { decodeQr } from '../support/decodeQr.ts';
import { nextRequest } from './support/deliveries.ts';
import { HOOK_URL, MAPPED, startWorld, type World } from './support/world.ts';

describe('whole Zaps', () => {
  type Row = Record<string, unknown>;

  let world: World;
  afterEach(() => world.close());

  /** The page that a phone reaches through a short link. */
  async function leadsTo(link: unknown): Promise<string | null> {
    return (await fetch(String(link), { redirect: 'manual' })).headers.get('location');
  }

  test('a Zap that turns rows of a sheet into printed codes makes an image of each that leads to its target', async () => {
    world = await startWorld();
    const { engine } = world;
    for (const [row, name] of ['Door', 'Löwenbräu 四'].entries()) {
      const targetUrl = `https://example.com/${row}`;
      const input = { name, targetUrl, publishNow: false, deduplicationKey: `row-${row}` };
      const created = await engine.create('create_qr_code', input);
      const published = await engine.create('publish_qr_code', { qrCodeId: created['id'] });
      const rendered = await engine.create('render_qr_code', {
        qrCodeId: published['id'],
        format: 'png',
        size: 150,
      });
      const file = await engine.hydrateFile(rendered['file']);
      expect(file.contentType).toBe('image/png');
      expect(decodeQr(file.bytes)).toBe(created['publicUrl']);
      expect(await leadsTo(decodeQr(file.bytes))).toBe(targetUrl);
    }
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
    async function run(row: SheetRow, matchBy = 'id'): Promise<void> {
      const input = { qrCodeId: row.id, matchBy, name: row.name, targetUrl: row.url };
      const { id, publicUrl, outcome } = await world.engine.create('upsert_qr_code', input, {}, MAPPED);
      Object.assign(row, { id, link: publicUrl, result: outcome });
    }

    const newRow = (name: string): SheetRow => {
      const url = `https://example.com/${encodeURIComponent(name)}`;
      return { name, url, id: '', link: '', result: '' };
    };
    const codeCount = async () => (await world.engine.dropdown('publish_qr_code', 'qrCodeId')).choices.length;

    test('updates printed codes when cells change, an ID is lost, a name changes or a response is lost', async () => {
      world = await startWorld();
      const { control } = world.emulator;
      const sheet = ['Door', 'Table 4', 'Löwenbräu 四'].map(newRow);
      for (const row of sheet) await run(row);
      expect(sheet.map(({ result }) => result)).toEqual(['created', 'created', 'created']);
      const printed = sheet.map(({ link }) => link);

      // Cells change, one of them there and back.
      for (const page of ['winter', 'Door', 'winter']) {
        sheet[0]!.url = `https://example.com/${page}`;
        await run(sheet[0]!);
        expect(await leadsTo(printed[0])).toBe(sheet[0]!.url);
      }
      // An ID is lost, and the code is found by its name; a name changes, and the code is found by its ID.
      Object.assign(sheet[1]!, { id: '', url: 'https://example.com/found' });
      Object.assign(sheet[2]!, { name: 'Renamed in the sheet', url: 'https://example.com/renamed' });
      // Responses are lost.
      control.failNext({ drop: 'after', match: { method: 'POST' } });
      await run(sheet[1]!, 'name');
      await run(sheet[2]!);
      expect(sheet.map(({ link }) => link)).toEqual(printed);
      expect(await Promise.all(printed.map(leadsTo))).toEqual(sheet.map(({ url }) => url));
      expect(await codeCount()).toBe(3);
    });

    test('makes one code of two rows with the same new name', async () => {
      world = await startWorld();
      const rows = [newRow('Twin'), { ...newRow('Twin'), url: 'https://example.com/second' }];
      for (const row of rows) await run(row, 'name');
      expect(rows[1]!.link).toBe(rows[0]!.link);
      expect(await leadsTo(rows[0]!.link)).toBe('https://example.com/second');
      // At the same time, there is one, too.
      const others = [newRow('Other twin'), newRow('Other twin')];
      await Promise.all(others.map((row) => run(row, 'name')));
      expect(await codeCount()).toBe(2);
    });

    test('finds a code that no list shows yet', async () => {
      world = await startWorld({ visibleAfterMs: 3_600_000 });
      const row = newRow('Changed at once');
      await run(row);
      const { link } = row;
      row.url = 'https://example.com/at-once';
      await run(row);
      expect(row).toMatchObject({ link, result: 'updated' });
      expect(await leadsTo(link)).toBe(row.url);
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
});
