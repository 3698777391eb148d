import { fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { fileStem } from './fileStem.ts';

const stemOf = (chosen: unknown) => fileStem(chosen, 'slug', 'qr_1');

const FAMILY = '👨‍👩‍👧‍👦';
const FLAG = '🇨🇭';

test.each<[string, unknown, string]>([
  ['a plain name', 'Table 4', 'Table 4'],
  ['a file extension', ' Table 4.PNG ', 'Table 4'],
  ["a suffix that isn't an image extension", 'Table.4', 'Table.4'],
  ['path separators', '../a\\b:c/d.svg', 'a-b-c-d'],
  ['an address', 'https://a.example/b', 'https-a.example-b'],
  ['dots and dashes around the name', '--.Table 4.-.', 'Table 4'],
  ['240 letters and a file extension', `${'a'.repeat(240)}.pdf`, 'a'.repeat(240)],
  ['241 letters', 'a'.repeat(241), 'a'.repeat(240)],
  ['241 bytes of letters with marks', 'e\u0301'.repeat(81), 'e\u0301'.repeat(80)],
  ['90 Thai letters, of which each has three bytes', 'ก'.repeat(90), 'ก'.repeat(80)],
  ['an emoji across the length limit', `${'a'.repeat(237)}😀b`, 'a'.repeat(237)],
  ['an emoji just within the length limit', `${'a'.repeat(236)}😀b`, `${'a'.repeat(236)}😀`],
  ['a dash at the length limit', `${'a'.repeat(238)}/-b`, 'a'.repeat(238)],
  ['only separators', '///', 'slug'],
  ['80,000 slashes', '/'.repeat(80_000), 'slug'],
  ['80,000 dashes and a letter', `${'-'.repeat(80_000)}a`, 'slug'],
  ['a letter followed by 80,000 dots and a letter', `a${'.'.repeat(80_000)}b`, 'a'],
  ['a number', 7, 'slug'],
  ['a path from the root', '/etc/passwd', 'etc-passwd'],
  ['two dots', '..', 'slug'],
  ['200 letters of three bytes each', '漢'.repeat(200), '漢'.repeat(80)],
  ['a name that Windows reserves', 'aux.png', 'qr-aux'],
  ['what a shell would run', '$(id)`id`', '(id)-id'],
  ['a mark that reverses the rest', 'menu\u202Egnp', 'menu-gnp'],
])('makes a valid file name from %s', (_what, chosen, stem) => expect(stemOf(chosen)).toBe(stem));

const FILE_SYSTEM_BYTES = 255;

test('makes a short file name without path separators from any name', () => {
  const part = fc.constantFrom(...Array.from('/-.\\ aé😀\n'), 'e\u0301', FAMILY, FLAG, '.png');
  const name = fc.tuple(fc.array(part, { maxLength: 8 }), fc.constantFrom(1, 20, 200));
  fc.assert(
    fc.property(name, ([parts, repeats]) => {
      const given = parts.join('').repeat(repeats);
      const stem = stemOf(given);
      expect(Buffer.byteLength(`${stem}-99.svg`)).toBeLessThanOrEqual(FILE_SYSTEM_BYTES);
      expect(stem.isWellFormed()).toBe(true);
      expect(stem).not.toMatch(/[\\/:*?"<>|\p{Cc}]|^[.\s-]|[.\s-]$/u);
    }),
    { numRuns: runs(50, 1000) },
  );
});
