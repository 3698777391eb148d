import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRows } from './readRows.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rows-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function sheet(content: string | Buffer) {
  const file = join(folder, 'rows.csv');
  writeFileSync(file, content);
  return readRows(file);
}

describe('a sheet', () => {
  it('returns its rows with all columns and their line numbers', () => {
    expect(sheet('name,targetUrl,place\nDoor,https://a.example/,Hall\n').rows).toEqual([
      {
        line: 2,
        name: 'Door',
        targetUrl: 'https://a.example/',
        columns: { name: 'Door', targetUrl: 'https://a.example/', place: 'Hall' },
      },
    ]);
  });

  it('can start with a byte order mark and have its columns in any order', () => {
    expect(sheet('\ufefftargetUrl,name\r\nhttps://a.example/,Door\r\n').rows[0]).toMatchObject({
      name: 'Door',
    });
  });

  it('reports invalid rows by line number, even after line breaks in cells, and keeps the others', () => {
    const { rows, problems } = sheet(
      [
        'name,targetUrl',
        '"Two\nlines",https://a.example/',
        '',
        ',https://b.example/',
        'No address,',
        'No scheme,www.example.com',
        'A script,javascript:alert(1)',
        'A comma, too many,https://c.example/',
        'Good,https://d.example/',
      ].join('\n'),
    );
    expect(rows.map(({ line, name }) => [line, name])).toEqual([
      [2, 'Two\nlines'],
      [10, 'Good'],
    ]);
    expect(problems).toEqual([
      { line: 5, problem: expect.stringContaining('name is empty') },
      { line: 6, problem: expect.stringContaining('targetUrl is empty') },
      { line: 7, problem: expect.stringContaining('"www.example.com" isn\'t a valid web address') },
      { line: 8, problem: expect.stringContaining("isn't a valid web address") },
      { line: 9, problem: expect.stringContaining('3 cells for 2 columns') },
    ]);
  });

  it.each([
    ['empty', '', /is empty/],
    ['without targetUrl', 'name,url\na,b\n', /no column targetUrl.*name, url/],
    ['separated by semicolons', 'name;targetUrl\na;b\n', /no column name.*Separate the columns with commas/],
    ['with an open quote', 'name,targetUrl\n"Door,https://a.example/\n', /isn't valid CSV near line 2/],
  ])('is rejected with an error message if it is %s', (_what, content, sentence) => {
    expect(() => sheet(content)).toThrow(sentence);
  });

  it('is rejected with an error message if it does not exist', () => {
    expect(() => readRows(join(folder, 'none.csv'))).toThrow(/File not found/);
  });
});
