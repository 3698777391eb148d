import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeQr } from '../support/decodeQr.ts';
import { closeWorlds, startWorld, type CheckedResult, type World } from './support/world.ts';

const TABLES = Array.from({ length: 30 }, (_, index) => ({
  name: `Table ${index + 1}`,
  targetUrl: `https://example.com/menu/${index + 1}`,
}));

const WEEK_MS = 7 * 86_400_000;

let folder: string;
let world: World;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tasks-'));
  const old = { name: 'Old', targetUrl: 'https://example.com' };
  world = await startWorld({ seed: { codes: [old] } }, { args: ['--out', folder] });
  world.emulator.control.clock.advance(2 * WEEK_MS);
});
afterAll(async () => {
  await closeWorlds();
  rmSync(folder, { recursive: true });
});

/** A scripted model: it knows the user's words, the tools' descriptions and the results of its calls. */
type Model = (call: (tool: string, args: object) => Promise<CheckedResult['data']>) => Promise<void>;

const TASKS: [task: string, calls: number, model: Model][] = [
  [
    'Make codes for these 30 tables and give me the images.',
    1,
    async (call) => {
      const { results } = await call('create_qr_codes', { rows: TABLES, images: 'png' });
      expect(readdirSync(folder)).toHaveLength(30);
      for (const { qrCode, image } of [results[0], results[29]])
        expect(decodeQr(readFileSync(image))).toBe(qrCode.publicUrl);
    },
  ],
  [
    "Table 4's menu moved to https://example.org/4.",
    2,
    async (call) => {
      const { qrCodes } = await call('find_qr_codes', { name: 'Table 4' });
      const [{ id, publicUrl }] = qrCodes.filter(({ name }: { name: string }) => name === 'Table 4');
      const url = 'https://example.org/4';
      expect((await call('retarget_qr_code', { code: id, url })).previousUrl).toBe(TABLES[3]!.targetUrl);
      expect((await fetch(publicUrl, { redirect: 'manual' })).headers.get('location')).toBe(url);
    },
  ],
  [
    'Which codes changed this week?',
    1,
    async (call) => {
      const updatedSince = new Date(world.emulator.control.clock.now() - WEEK_MS).toISOString();
      const { qrCodes, nextCursor } = await call('find_qr_codes', { updatedSince, limit: 100 });
      expect([qrCodes.length, nextCursor]).toEqual([30, undefined]);
    },
  ],
];

test.each(TASKS)('%s takes %i calls', async (_task, calls, model) => {
  let made = 0;
  await model(async (tool, args) => {
    made += 1;
    return (await world.server.call(tool, { ...args })).data;
  });
  expect(made).toBe(calls);
});
