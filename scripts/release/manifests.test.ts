import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedOf, readManifest, readWorkspaces } from '../packages/workspaces.ts';

const ROOT = join(__dirname, '../..');
const WORKSPACES = readWorkspaces(ROOT);
const { license, bugs, author, repository } = readManifest(ROOT);
const SITE = bugs?.url?.replace(/\/issues$/, '');

describe.each(WORKSPACES)('$folder', ({ folder, manifest }) => {
  const read = (file: string) => readFileSync(join(ROOT, folder, file), 'utf8');

  it("names the repository's license, author, repository and issue tracker, as provenance and n8n need", () => {
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/\w/),
      license,
      author,
      bugs,
      homepage: `${SITE}/tree/main/${folder}#readme`,
      repository: { ...repository, directory: folder },
    });
    expect(read('LICENSE')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
  });

  it('lists changes of its version in the changelog, under a heading that Zapier and changesets read', () => {
    const section = read('CHANGELOG.md')
      .split(/^## /m)
      .find((text) => text.startsWith(`${manifest.version}\n`));
    expect(section).toMatch(/^[^#\s].*\n[^]*^[^#\s]/m);
  });

  it('runs no script when it is installed', () => {
    const scripts = Object.keys(manifest.scripts ?? {});
    expect(scripts.filter((name) => /^(?:(?:pre|post)?install|prepare)$/.test(name))).toEqual([]);
  });
});

test.each(publishedOf(WORKSPACES))(
  '$folder packs its changelog; npm adds the license and the README',
  ({ folder }) => {
    const { files } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
      files: string[];
    };
    expect(files).toContain('CHANGELOG.md');
  },
);
