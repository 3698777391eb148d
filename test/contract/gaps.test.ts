import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { WIRE_CHOICES } from 'qr-service-emulator';
import { parse } from 'yaml';
import {
  LIST_KEYS,
  REPLAY_HEADERS,
  SCAN_ID_KEYS,
  SCAN_TIME_KEYS,
  SECRET_KEYS,
} from '../../shared/src/contract/wireNames.ts';

const ROOT = join(__dirname, '../..');
const SOURCE = join(ROOT, 'shared/src');
const PAGE = readFileSync(join(ROOT, 'docs/api-gaps.md'), 'utf8');
const EXTRA = "## Points that the description doesn't list";

/** One open point of the API as the page describes it. */
interface Section {
  title: string;
  text: string;
  /** Labels of its list, such as `Read as`. */
  labels: string[];
}

const sections: Section[] = PAGE.split(/^### /m)
  .slice(1)
  .map((part) => {
    const [title = '', ...lines] = part.split(/^## /m, 1)[0]!.split('\n');
    const text = lines.join('\n');
    return { title, text, labels: [...text.matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, label = '']) => label) };
  });

/** What a section says under a label, on one line. */
function under(section: Section, label: string): string {
  const [, said = ''] = section.text.split(`- **${label}**:`);
  return said.split(/^- \*\*/m, 1)[0]!.replaceAll(/\s+/g, ' ');
}

const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** Every `x-gap` of a part of the contract. */
function gapsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'x-gap' ? [String(value).trim()] : gapsIn(value),
  );
}

describe('docs/api-gaps.md', () => {
  it('quotes every x-gap of the contract once, and no other', () => {
    const contract: unknown = parse(readFileSync(join(ROOT, 'shared/contract/openapi.yaml'), 'utf8'));
    const quoted = [...PAGE.matchAll(/^> (.*)$/gm)].map(([, quote]) => quote);
    expect(quoted).not.toEqual([]);
    expect(quoted.sort()).toEqual([...new Set(gapsIn(contract))].sort());
  });

  it.each(sections)('says of "$title" how it is read, what would break it, and where', (section) => {
    const isExtra = PAGE.indexOf(`### ${section.title}\n`) > PAGE.indexOf(EXTRA);
    expect(section.text.match(/^> /gm)?.length ?? 0).toBe(isExtra ? 0 : 1);
    if (section.text.includes('- **Not used**')) return;
    expect(section.labels.filter((label) => !['Cursor', 'Emulator'].includes(label))).toEqual([
      'Read as',
      'Breaks if',
      'Code',
    ]);
    const files = codeIn(under(section, 'Code'));
    expect(files).not.toEqual([]);
    expect(files.filter((file) => !existsSync(join(SOURCE, file)))).toEqual([]);
  });

  it('names every reader of the wire', () => {
    const readers = readdirSync(join(SOURCE, 'wire')).filter((file) => !file.endsWith('.test.ts'));
    expect(readers).toContain('list.ts');
    expect(readers.filter((file) => !PAGE.includes(`\`wire/${file}\``))).toEqual([]);
  });

  it('names every point that the emulator can vary once, and no other', () => {
    const named = sections.flatMap((section) => codeIn(under(section, 'Emulator')));
    expect(named.sort()).toEqual(Object.keys(WIRE_CHOICES).sort());
  });

  const section = (title: string) => sections.find((each) => each.title === title)!;
  /** The names in a part of what a section says, from one phrase to another. */
  const namesIn = (title: string, from: string, to: string) =>
    codeIn(under(section(title), 'Read as').split(from)[1]!.split(to, 1)[0]!);

  it.each([
    ['lists', namesIn('Lists', 'whole list -', ', at the top'), LIST_KEYS],
    ['IDs of scans', namesIn('Rows of scans', 'The ID is', '. Without'), SCAN_ID_KEYS],
    ['times of scans', namesIn('Rows of scans', 'readable one of', ': ISO 8601'), SCAN_TIME_KEYS],
    ['signing secrets', namesIn('The signing secret', 'one of', ', at the top'), SECRET_KEYS],
    ['replays', namesIn('Replays', 'a replay has', ' with the value'), REPLAY_HEADERS],
  ])('names every field that is read, in order: %s', (_what, named, read) => {
    expect(named).toEqual([...read]);
  });

  it('the client reads every name that the emulator uses', () => {
    const { listKey, secretKey } = WIRE_CHOICES;
    expect(listKey.filter((name) => !LIST_KEYS.some((known) => known === name))).toEqual([
      'records',
      'top-level array',
    ]);
    expect([...secretKey].sort()).toEqual([...SECRET_KEYS].sort());
  });
});
