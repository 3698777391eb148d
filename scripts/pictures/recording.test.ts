import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pace, removeMachine, toFrames } from './recording.ts';
import { recordingSvg } from './recordingSvg.ts';

function rowsOf(text: string, columns = 100) {
  return toFrames([{ at: 0, text }], columns).map(({ rows }) => rows);
}

describe('frames of a program in a terminal', () => {
  it('add lines one by one, without spaces at their ends', () => {
    expect(rowsOf('one  \r\n\r\ntwo\n')).toEqual([['one'], ['one', '', 'two']]);
  });

  it('follow the cursor: a bar is redrawn, and removed at the end', () => {
    const bar = '\u001b[?25l\u001b[1G10 %, slow\u001b[0K\u001b[1G20 %\u001b[0K';
    expect(rowsOf(`${bar}\u001b[1G\u001b[2Kdone\r\n30 %\r\n\u001b[1A\u001b[0Jend`)).toEqual([
      ['done'],
      ['done', '30 %'],
      ['done', 'end'],
    ]);
  });

  it('put together a control sequence that is split between events', () => {
    const split = [
      { at: 0, text: 'ab\u001b' },
      { at: 5, text: '[1' },
      { at: 9, text: 'Gc\r' },
      { at: 12, text: '\nd' },
    ];
    expect(toFrames(split, 100)).toEqual([
      { at: 0, rows: ['ab'] },
      { at: 9, rows: ['cb'] },
      { at: 12, rows: ['cb', 'd'] },
    ]);
  });

  it('wrap a long line, and cut it where wrapping is off', () => {
    expect(rowsOf('abcdefgh\n', 3)).toEqual([['abc', 'def', 'gh']]);
    expect(rowsOf('\u001b[?7labcdefgh\n\u001b[?7hijkl', 3).at(-1)).toEqual(['abc', 'ijk', 'l']);
  });

  it('refuse a control sequence that they would show wrongly', () => {
    expect(() => rowsOf('\u001b[3C')).toThrow("3C isn't supported");
  });
});

test.each([
  ['running at http://127.0.0.1:53121 (process 99)', 'running at http://127.0.0.1:4010 (process 1234)'],
  ['wrote /home/ada/qr/out/index.html', 'wrote …/index.html'],
  ['in /tmp/rows-x1/', 'in …/'],
  ['74 in out/codes, 8 of 8', '74 in out/codes, 8 of 8'],
])('the line "%s" is recorded as "%s"', (line, recorded) => expect(removeMachine(line)).toBe(recorded));

test('long waits are shortened, and lines get the time to be read', () => {
  const frames = [
    { at: 0, rows: ['a'] },
    { at: 9000, rows: ['a', 'b'] },
    { at: 9001, rows: ['a', 'c'] },
    { at: 9002, rows: ['a', 'c', 'd'] },
    { at: 9502, rows: ['a', 'c', 'd', 'e'] },
  ];
  const times = pace(frames, { redraw: 10, line: 300, longest: 1000 }).map(({ at }) => at);
  expect(times).toEqual([0, 1000, 1010, 1310, 1810]);
});

test('the SVG shows each row while it is on the screen, and keeps the last frame', () => {
  const frames = [
    { at: 0, rows: ['a < b', '10 %'] },
    { at: 500, rows: ['a < b', '20 %'] },
  ];
  const svg = recordingSvg(frames, 20, 'A & B');
  const texts = [...svg.matchAll(/<text.*<\/text>/g)].map(([text]) =>
    text.replaceAll(/ (?:x|y|textLength)="[^"]*"/g, ''),
  );
  expect(svg).toContain('<title>A &amp; B</title>');
  expect(texts).toEqual([
    '<text class="last" style="animation-delay:0s">a &lt; b</text>',
    '<text style="animation-delay:0s;animation-duration:0.5s">10 %</text>',
    '<text class="last" style="animation-delay:0.5s">20 %</text>',
  ]);
});

describe('the committed recording', () => {
  const read = (file: string) => readFileSync(join(__dirname, '../../demo', file), 'utf8');
  const svg = read('recording.svg');
  const texts = [...svg.matchAll(/<text(.*?)>(.*)<\/text>/g)].map(([, attributes = '', text = '']) => ({
    attributes,
    text: text.replaceAll(/<[^>]*>/g, ''),
  }));
  const last = texts.filter(({ attributes }) => attributes.includes('class="last"')).map(({ text }) => text);

  it('is one small file that loads nothing and runs nothing', () => {
    expect(svg.length).toBeLessThan(150_000);
    expect(svg).not.toMatch(/<script|<foreignObject|<image|href|@import|url\(|\son\w+=/i);
    expect(svg).toContain('prefers-reduced-motion');
  });

  it('shows the whole label of each step, and ends with a successful run', () => {
    const steps = [...read('runDemo.ts').matchAll(/progress\.step\(\s*(?:'(.*?)'|"(.*?)"),/g)].map(
      ([, single, double]) => `✓ ${single ?? double ?? ''}`,
    );
    expect(steps).toHaveLength(7);
    expect(last).toEqual(expect.arrayContaining(['$ npm start', ...steps, 'Hostile deliveries', 'Summary']));
    expect(last.at(-1)).toMatch(/^Done in \d+\.\d s\.$/);
    const labels = texts.flatMap(({ text }) => text.split(' % | ').slice(1));
    expect(labels.length).toBeGreaterThan(0);
    expect(labels.filter((label) => !steps.includes(`✓ ${label}`))).toEqual([]);
  });

  it('takes about 30 seconds', () => {
    const delays = [...svg.matchAll(/animation-delay:([\d.]+)s/g)].map(([, seconds]) => Number(seconds));
    expect(Math.max(...delays)).toBeGreaterThan(20);
    expect(Math.max(...delays)).toBeLessThan(40);
  });

  it('holds no key, signing secret or path of a machine', () => {
    const shown = texts.map(({ text }) => text).join('\n');
    expect(shown).toContain('127.0.0.1:4010 (process 1234)');
    expect(shown.replaceAll('http://127.0.0.1:4010', '')).not.toMatch(
      /(?:^|[^\w.…])\/\w|~\/|[A-Z]:\\|https?:|:\d{4}/m,
    );
    expect(shown).not.toMatch(/whsec|api.?key|authorization|[\w-]{32}/i);
  });
});
