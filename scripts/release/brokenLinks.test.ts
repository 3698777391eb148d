import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findBrokenLinks } from './brokenLinks.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'qr-service-links-'));
  mkdirSync(path.join(folder, 'docs'));
  writeFileSync(
    path.join(folder, 'docs/other.md'),
    '# Other\n\n## Use `--tag` (rarely)\n\n## Twice\n\n## Twice\n',
  );
  writeFileSync(path.join(folder, 'picture.png'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

function broken(markdown: string): string[] {
  const file = path.join(folder, 'README.md');
  writeFileSync(file, `# Title\n\n${markdown}\n`);
  return findBrokenLinks(file);
}

test.each([
  '[other](docs/other.md), ![picture](picture.png) and [a folder](docs/)',
  '[a heading](#title)',
  '[a heading with code](docs/other.md#use---tag-rarely)',
  '[the second of two](docs/other.md#twice-1)',
  '[the web](https://example.com/no) and [mail](mailto:a@example.com)',
  'code: `[no](link.md)`',
  '```md\n[no](link.md)\n```',
])('%j has no broken links', (markdown) => {
  expect(broken(markdown)).toEqual([]);
});

test.each([
  ['[a missing file](docs/none.md)', 'docs/none.md'],
  ['![a missing picture](none.png)', 'none.png'],
  ['[a missing heading](#none)', '#none'],
  ['[a missing heading](docs/other.md#twice-2)', 'docs/other.md#twice-2'],
  ['[reference][one]\n\n[one]: none.md', 'none.md'],
  ['```sh\nls\n```\n\n[after code](none.md)', 'none.md'],
])('%j has a broken link', (markdown, link) => {
  expect(broken(markdown)).toEqual([link]);
});
