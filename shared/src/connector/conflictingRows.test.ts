import { conflictingRows } from './conflictingRows.ts';
import type { UpsertRow } from './CodeUpserter.ts';

const A = 'https://example.com/a';
const B = 'https://example.com/b';
const row = (name: string, targetUrl: string, more: Partial<UpsertRow> = {}): UpsertRow => ({
  matchBy: 'name',
  name,
  targetUrl,
  ...more,
});
const check = (rows: UpsertRow[]) => conflictingRows(new Map(rows.entries()), (index) => `row ${index + 1}`);

it.each<[string, UpsertRow[], number[]]>([
  ['with one name and different targets', [row('Menu', A), row('Door', A), row(' Menu', B)], [0, 2]],
  [
    'with one name, of which only one has another target',
    [row('Menu', A), row('Menu', A), row('Menu', B)],
    [0, 1, 2],
  ],
  ['with one name and one target', [row('Menu', A), row('Menu', `${A}#`.slice(0, -1))], []],
  ['with names that differ only in case', [row('Menu', A), row('menu', B)], [0, 1]],
  ['with names that look alike', [row('Menu 1', A), row('Menu\u00A01', B)], [0, 1]],
  ['with names that differ visibly', [row('Menu', A), row('Menü', B)], []],
  ['with one ID', [row('Menu', A, { code: 'qr_1' }), row('Menu', B, { code: 'qr_1' })], []],
  ['of which one has an ID', [row('Menu', A), row('Menu', B, { code: 'qr_1' })], []],
  ['that each create a code', [row('Menu', A, { matchBy: 'id' }), row('Menu', B, { matchBy: 'id' })], []],
])('finds rows %s: %#', (_what, rows, expected) => expect([...check(rows).keys()]).toEqual(expected));

it('names both rows and both targets', () =>
  expect(check([row('Menu', A), row('Menu', B)]).get(1)).toMatchObject({
    code: 'conflicting_rows',
    message: `The name "Menu" has two targets: "${A}" in row 1 and "${B}" in row 2.`,
    advice: expect.stringMatching(/^Nothing was sent for these rows\./) as string,
  }));
