import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pace, recordingSvg, removeMachine } from './recording.ts';

test.each([
  ['running at http://127.0.0.1:53121 (process 99)', 'running at http://127.0.0.1:4010 (process 1234)'],
  ['wrote /home/ada/qr/out/index.html', 'wrote …/index.html'],
  ['in /tmp/rows-x1/', 'in …/'],
  ['74 in out/codes, 8 of 8', '74 in out/codes, 8 of 8'],
])('the line "%s" is recorded as "%s"', (line, recorded) => expect(removeMachine(line)).toBe(recorded));

test('long waits are shortened, and lines get the time to be read', () => {
  const lines = [0, 9000, 9000, 9001, 10_001].map((at, index) => ({ at, text: index === 2 ? '' : 'a' }));
  expect(pace(lines).map(({ at }) => at)).toEqual([0, 2000, 2000, 2750, 3750]);
});

test('the SVG shows each line from its time on', () => {
  const svg = recordingSvg(
    [
      { at: 0, text: '$ a < b' },
      { at: 500, text: '' },
      { at: 500, text: '  ✓ c' },
    ],
    'A & B',
  );
  expect(svg).toContain('<title>A &amp; B</title>');
  expect(
    [...svg.matchAll(/<text.*<\/text>/g)].map(([text]) => text.replaceAll(/ (?:x|textLength)="[^"]*"/g, '')),
  ).toEqual([
    '<text y="35" style="animation-delay:0s"><tspan class="done">$</tspan> a &lt; b</text>',
    '<text y="75" style="animation-delay:0.5s"><tspan class="done">✓</tspan> c</text>',
  ]);
});

describe('the committed recording', () => {
  const read = (file: string) => readFileSync(join(__dirname, '../../demo', file), 'utf8');
  const svg = read('recording.svg');
  const texts = [...svg.matchAll(/<text.*?>(.*)<\/text>/g)].map(([, text = '']) =>
    text.replaceAll(/<[^>]*>/g, ''),
  );

  it('is one small file that loads nothing and runs nothing', () => {
    expect(svg.length).toBeLessThan(150_000);
    expect(svg).not.toMatch(/<script|<foreignObject|<image|href|@import|url\(|\son\w+=/i);
    expect(svg).toContain('prefers-reduced-motion');
  });

  it('shows the whole label of each step, and ends with a successful run in less than 40 seconds', () => {
    const steps = [...read('runDemo.ts').matchAll(/ step\(\s*(?:'(.*?)'|"(.*?)"),/g)].map(
      ([, single, double]) => `✓ ${single ?? double ?? ''}`,
    );
    expect(steps).toHaveLength(7);
    expect(texts).toEqual(expect.arrayContaining(['$ npm start', ...steps, 'Hostile deliveries', 'Summary']));
    expect(texts.at(-1)).toMatch(/^Done in \d+\.\d s\.$/);
    const delays = [...svg.matchAll(/animation-delay:([\d.]+)s/g)].map(([, seconds]) => Number(seconds));
    expect(Math.max(...delays)).toBeLessThan(40);
  });

  it('holds no key, signing secret or path of a machine', () => {
    const shown = texts.join('\n');
    expect(shown).toContain('127.0.0.1:4010 (process 1234)');
    expect(shown.replaceAll('http://127.0.0.1:4010', '')).not.toMatch(
      /(?:^|[^\w.…])\/\w|~\/|[A-Z]:\\|https?:|:\d{4}/m,
    );
    expect(shown).not.toMatch(/whsec|api.?key|authorization|[\w-]{32}/i);
  });
});
