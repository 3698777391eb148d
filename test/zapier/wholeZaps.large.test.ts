import { decodeQr } from '../support/decodeQr.ts';
import { MAPPED, startWorld, type World } from './support/world.ts';

describe('whole Zaps', () => {
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
  });
});
