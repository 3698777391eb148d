import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { decodeQr } from '../support/decodeQr.ts';

const MAIN = join(__dirname, '../../demo/main.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the demo, as `npm start` does after the build. */
function runDemo(...args: string[]): Promise<{ code: number; output: string }> {
  const flags = ['--conditions=@qr-service/source', '--disable-warning=ExperimentalWarning'];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...flags, MAIN, ...args], (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? NaN, output: stdout + stderr }),
    );
  });
}

const out = (path: string) => join(folder, 'out', path);
const csv = (path: string) =>
  parse<Record<string, string>>(readFileSync(out(path)), { columns: true, bom: true });
const countByType = (rows: Record<string, string>[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(rows, ({ type }) => type!)).map(([type, some]) => [type, some!.length]),
  );

it('creates codes for the sample sheet, starts one run per event and rejects forged deliveries', async () => {
  const { code, output } = await runDemo('--out', out(''));
  expect([code, output]).toEqual([0, expect.stringContaining('Summary')]);

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

it("reads the user's own sheet, keeps its columns and reports invalid rows by line number", async () => {
  const rows = join(folder, 'my.csv');
  writeFileSync(
    rows,
    'shelf,name,targetUrl\nA1,First,https://example.com/1\nA2,,https://example.com/2\nA3,"=1+1 <b>",https://example.com/3\n',
  );
  const { code, output } = await runDemo('--rows', rows, '--out', out(''));
  expect(code).toBe(0);
  expect(output).toContain('line 3: Name is empty');
  const kept = ['A1 First', "A3 '=1+1 <b>"];
  expect(csv('codes.csv').map(({ shelf, name }) => `${shelf} ${name}`)).toEqual([...kept, ...kept]);
  expect(readFileSync(out('index.html'), 'utf8')).not.toContain('<b>');
});

it('explains a missing sheet on one line, and writes nothing', async () => {
  const { code, output } = await runDemo('--rows', 'none.csv', '--out', out(''));
  expect({ code, said: output.trim() }).toEqual({
    code: 1,
    said: "none.csv doesn't exist. Check the path after --rows.",
  });
  expect(existsSync(out(''))).toBe(false);
});
