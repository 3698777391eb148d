import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeMachine } from './recording.ts';

test.each([
  ['running at http://127.0.0.1:53121 (process 99)', 'running at http://127.0.0.1:4010 (process 1234)'],
  ['wrote /home/ada/qr/out/index.html', 'wrote …/index.html'],
  ['in /tmp/rows-x1/', 'in …/'],
  ['74 in out/codes, 8 of 8', '74 in out/codes, 8 of 8'],
])('the line "%s" is recorded as "%s"', (line, recorded) => expect(removeMachine(line)).toBe(recorded));

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
