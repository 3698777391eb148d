import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { decodeQr } from '../support/decodeQr.ts';
import { startCommand, type Run } from '../support/process/command.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const MAIN = join(__dirname, '../../demo/main.ts');
const FLAGS = ['--conditions=@qr-service/source', '--disable-warning=ExperimentalWarning'];

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** The demo's command, as `npm start` runs it after the build. */
const demo = (...args: string[]) => [process.execPath, ...FLAGS, MAIN, ...args];
/** A command in a terminal. */
const inTerminal = (words: string[]) => ['script', '-qec', words.join(' '), '/dev/null'];
const start = ([file = '', ...args]: string[]) =>
  startCommand(file, args, { cwd: folder, env: { PATH: process.env['PATH'] } });

const out = (path: string) => join(folder, 'out', path);
const csv = (path: string) =>
  parse<Record<string, string>>(readFileSync(out(path)), { columns: true, bom: true });
const countByType = (rows: Record<string, string>[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(rows, ({ type }) => type!)).map(([type, some]) => [type, some!.length]),
  );

/** Waits until a run is done, and stops it. Returns what it printed. */
async function stop({ child, printed, ended }: Run, ctrlC: 'key' | 'signal'): Promise<string> {
  const [inspector = ''] = /http:\S+(?=\. Press)/.exec(await printed('Press Ctrl-C to stop.')) ?? [];
  expect(await (await fetch(`${inspector}/deliveries`)).text()).toContain('qr.published');
  expect(readFileSync(out('index.html'), 'utf8')).toContain(`href="${inspector}"`);
  const [code] = csv('codes.csv');
  expect((await fetch(code!['publicUrl']!, { redirect: 'manual' })).status).toBe(302);
  if (ctrlC === 'key') child.stdin!.write('\x03');
  else child.kill('SIGINT');
  const { code: exitCode, out: shown, err } = await ended;
  expect(exitCode).toBe(0);
  expect(shown + err).toMatch(/Stopped\. Nothing is left running\.\s*$/);
  await expect(fetch(inspector)).rejects.toThrow();
  return shown;
}

it('creates codes for the sample sheet, starts one run per event and rejects forged deliveries', async () => {
  const output = await stop(start(demo('--keep', '--out', out(''))), 'signal');
  expect(output).toContain('Summary');

  const rows = csv('codes.csv');
  expect(rows).toHaveLength(26);
  const codes = rows.filter(({ createdIn }) => createdIn === 'n8n');
  expect(codes).toHaveLength(24);
  for (const code of codes) {
    expect(code).toMatchObject({ status: 'published', place: expect.stringMatching(/./) });
    expect(decodeQr(readFileSync(out(code['png']!)))).toBe(code['publicUrl']);
    expect(readFileSync(out(code['svg']!), 'utf8')).toContain('<svg');
    expect(readFileSync(out(code['pdf']!), 'latin1')).toMatch(/^%PDF/);
  }

  const events = csv('events.csv');
  const toN8n = events.filter((event) => event['receivedBy'] === 'n8n');
  expect(countByType(toN8n)).toMatchObject({
    'qr.created': 26,
    'qr.published': 26,
    'redirect.rule_changed': 4,
    'feedback.low_score_received': 1,
  });
  expect(new Set(toN8n.map((event) => event['eventId'])).size).toBe(toN8n.length);
  const toZapier = events.filter((event) => event['receivedBy'] === 'Zapier');
  expect(countByType(toZapier)).toEqual({ 'qr.published': 26, 'feedback.low_score_received': 1 });

  expect(csv('scans.csv')).toHaveLength(9);
  expect(output).toMatch(/Deliveries that started nothing\s+8 of 8/);
  expect(output).toMatch(/forged: signed with a made-up secret\s+n8n responded 401, started nothing/);
  const page = readFileSync(out('index.html'), 'utf8');
  for (const code of rows) expect(page).toContain(code['publicUrl']);
  expect(page).not.toMatch(/<script|src="http/);
});

describe("the user's own sheet", () => {
  const KEPT = ['A1 First', "A3 '=1+1 <b>"];
  const ROWS = [
    'shelf,name,targetUrl',
    'A1,First,https://example.com/1',
    'A2,,https://example.com/2',
    'A3,"=1+1 <b>",https://example.com/3\n',
  ];
  beforeEach(() => writeFileSync(join(folder, 'my.csv'), ROWS.join('\n')));

  it('keeps its columns, and its invalid rows are reported by line number', async () => {
    const { code, out: output } = await start(demo('--rows', 'my.csv')).ended;
    expect([code, output]).toEqual([0, expect.stringContaining('line 3: Name is empty')]);
    expect(csv('codes.csv').map(({ shelf, name }) => `${shelf} ${name}`)).toEqual([...KEPT, ...KEPT]);
    expect(readFileSync(out('index.html'), 'utf8')).not.toContain('<b>');
  });

  it('stays open in a terminal, until Ctrl-C', async () => {
    await stop(start(inTerminal(demo('--rows', 'my.csv'))), 'key');
  });
});

it('explains a missing sheet on one line, and writes nothing', async () => {
  const { code, out: output, err } = await start(demo('--rows', 'none.csv')).ended;
  const said = "none.csv doesn't exist. Check the path after --rows.";
  expect({ code, said: (output + err).trim() }).toEqual({ code: 1, said });
  expect(existsSync(out(''))).toBe(false);
});
