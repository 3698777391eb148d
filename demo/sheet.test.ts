import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRows } from './sheet.ts';

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
    expect(sheet('name,targetUrl,place\nDoor,https://a.example/,Hall\n')).toEqual([
      {
        line: 2,
        name: 'Door',
        targetUrl: 'https://a.example/',
        columns: { name: 'Door', targetUrl: 'https://a.example/', place: 'Hall' },
      },
    ]);
  });

  it('can start with a byte order mark and have its columns in any order', () => {
    expect(sheet('\ufefftargetUrl,name\r\nhttps://a.example/,Door\r\n')[0]).toMatchObject({
      name: 'Door',
    });
  });

  it.each([
    ['UTF-8', Buffer.from('name,targetUrl\nCafé – 5 €,https://a.example/\n')],
    ['Windows-1252', Buffer.from('name,targetUrl\nCaf\xe9 \x96 5 \x80,https://a.example/\n', 'latin1')],
    ['UTF-16', Buffer.from('\uFEFFname,targetUrl\nCafé – 5 €,https://a.example/\n', 'utf16le')],
  ])('can be saved as %s', (_what, bytes) => expect(sheet(bytes)[0]?.name).toBe('Café – 5 €'));

  it('skips blank lines but counts them, and leaves the validation of rows to n8n', () => {
    const rows = sheet('name,targetUrl\n\n ,\n,https://b.example/\nNo address\nGood, https://d.example/ \n');
    expect(rows.map(({ line, name, targetUrl }) => [line, name, targetUrl])).toEqual([
      [4, '', 'https://b.example/'],
      [5, 'No address', ''],
      [6, 'Good', 'https://d.example/'],
    ]);
  });

  it.each([
    ['empty', '', /has no rows.*name,targetUrl/],
    ['damaged', 'name,targetUrl\nCaf\uFFFD,https://a.example/\n', /lost characters.*CSV UTF-8/],
    ['UTF-16 with the other byte order', Buffer.from('\uFEFFname', 'utf16le').swap16(), /no column name/],
    ['without targetUrl', 'name,url\na,b\n', /no column targetUrl.*name, url/],
    ['separated by semicolons', 'name;targetUrl\na;b\n', /no column name.*Separate the columns with commas/],
    ['with too many cells', 'name,targetUrl\na,b,c\n', /more cells than columns in line 2.*quotes/],
    [
      'with an open quote',
      'name,targetUrl\n"Door,https://a.example/\n',
      /isn't valid CSV near line 2: Quote Not Closed\./,
    ],
  ])('is rejected with an error message: %s', (_what, content, sentence) => {
    expect(() => sheet(content)).toThrow(sentence);
  });

  it('is rejected with an error message if it does not exist', () => {
    expect(() => readRows(join(folder, 'none.csv'))).toThrow(/none\.csv doesn't exist/);
  });
});
