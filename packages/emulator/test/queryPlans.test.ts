import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../src/store/index.ts';
import { COLUMNS } from '../src/store/qrCodes.ts';
import { walkSql } from '../src/store/walk.ts';
import { startService, stopServices } from './support/service.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

afterEach(async () => {
  await stopServices();
  removeTempFolders();
});

/** The tables that grow with use. */
const LARGE = [
  'qr_codes',
  'qr_history',
  'scans',
  'events',
  'deliveries',
  'attempts',
  'idempotency',
  'feedback',
];

/** Opens a fresh database of the emulator and asks SQLite how it would run each statement. */
async function plansOf(statements: readonly string[]): Promise<string[][]> {
  const db = tempFile('emulator.db');
  await startService({ db });
  await stopServices();
  const sqlite = new DatabaseSync(db);
  sqlite.function('has_text', (_text, _part) => 0);
  const plans = statements.map((sql) =>
    sqlite
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row['detail'])),
  );
  sqlite.close();
  return plans;
}

test.each([
  ['ascending', /^SEARCH qr_codes USING INDEX qr_codes_by_update/, /^SEARCH qr_history USING PRIMARY KEY/],
  ['descending', /^SEARCH qr_codes USING INDEX qr_codes_by_update/, /^SEARCH qr_history USING PRIMARY KEY/],
  ['id', /^SEARCH qr_codes USING PRIMARY KEY/, /^SEARCH qr_history USING INDEX qr_history_by_code/],
] as const)('reads a page of codes in %s order through an index', async (order, codes, history) => {
  const [plan = []] = await plansOf([walkSql(order, COLUMNS)]);
  expect(plan.filter((step) => step.startsWith('SCAN qr_'))).toEqual([]);
  expect(plan).toContainEqual(expect.stringMatching(codes));
  expect(plan).toContainEqual(expect.stringMatching(history));
});

/** Queries that read a whole table on purpose. */
const WHOLE_TABLE_QUERIES = [/^SELECT \(SELECT count\(\*\)/, /^SELECT d\.\*.* ORDER BY d\.seq$/s];

test('runs no statement that scans a growing table', async () => {
  const prepare = jest.spyOn(DatabaseSync.prototype, 'prepare');
  openStore(':memory:', Date.now).close();
  const statements = prepare.mock.calls.map(([sql]) => sql.trim());
  prepare.mockRestore();
  const queries = statements.filter((sql) => /^(SELECT|UPDATE|DELETE|INSERT)/.test(sql));
  expect(queries.length).toBeGreaterThan(40);

  const plans = await plansOf(queries);
  const wholeTables = queries.filter((sql, nth) => {
    const plan = plans[nth]!;
    const scans = plan.some((step) =>
      LARGE.some((table) => step.startsWith(`SCAN ${table}`) || step === 'SCAN d'),
    );
    // A query in the table's own order stops at its limit.
    const stops = sql.includes('LIMIT') && !plan.some((step) => step.startsWith('USE TEMP B-TREE'));
    return scans && !stops && !WHOLE_TABLE_QUERIES.some((pattern) => pattern.test(sql));
  });
  expect(wholeTables).toEqual([]);
});
