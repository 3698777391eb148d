import type { Artefact } from './Artefact.ts';

/** What a package's LICENSE and CHANGELOG.md must hold. */
export interface ExpectedFiles {
  /** The repository's licence. */
  licence: Buffer;
  /** The version whose section the changelog must have. */
  version: string;
}

/** Problems with the licence and the changelog of a package, such as an unpacked tarball. */
export function findPackageFileProblems(artefact: Artefact, { licence, version }: ExpectedFiles): string[] {
  const contentOf = (name: string) => artefact.files.find(({ path }) => isAtTop(path, name))?.content;
  return [checkLicence(contentOf('LICENSE'), licence), checkChangelog(contentOf('CHANGELOG.md'), version)]
    .filter((problem) => problem !== undefined)
    .map((problem) => `${artefact.name}: ${problem}`);
}

/** npm puts everything into the folder `package`. */
const isAtTop = (path: string, name: string): boolean => path === name || path === `package/${name}`;

function checkLicence(content: Buffer | undefined, licence: Buffer): string | undefined {
  if (content === undefined) return 'LICENSE is missing';
  return content.equals(licence) ? undefined : "LICENSE differs from the repository's";
}

function checkChangelog(content: Buffer | undefined, version: string): string | undefined {
  if (content === undefined) return 'CHANGELOG.md is missing';
  // Changesets and Zapier's CLI use such headings.
  const sections = content.toString('utf8').split(/^## /m).slice(1);
  const section = sections.find((text) => text.split('\n', 1)[0]?.trim() === version);
  if (section === undefined) return `CHANGELOG.md has no section "## ${version}"`;
  // Changesets writes "No changes in this release." for a package that is only released with the others.
  const isFilled = section
    .split('\n')
    .slice(1)
    .some((line) => /^[^#\s]/.test(line));
  return isFilled ? undefined : `CHANGELOG.md lists no change under "## ${version}"`;
}
