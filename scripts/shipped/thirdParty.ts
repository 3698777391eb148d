import type { Artefact } from './Artefact.ts';
import type { BundlePart, ShippedPackage } from './packages.ts';

const FILE = /(^|\/)THIRD_PARTY_LICENSES\.txt$/;
/** A line of it that names a package. The text of the licence follows below. */
const PACKAGE = /^((?:@[\w.-]+\/)?[\w.-]+) (\d\S*) \((.+)\)$/gm;

/**
 * Packages whose licences ship in an artefact's THIRD_PARTY_LICENSES.txt, sorted by name.
 * @param parts the bundle's code, for the sizes. A package inside another's bundle has none.
 * @throws Error when there is no such file, or it doesn't name any package
 */
export function licensedPackages({ name, files }: Artefact, parts: readonly BundlePart[]): ShippedPackage[] {
  const text = files.find(({ path }) => FILE.test(path))?.content.toString('utf8') ?? '';
  const packages = [...text.matchAll(PACKAGE)].map(([, origin = '', version = '', licence = '']) => {
    const bytes = parts.reduce((sum, part) => (part.origin === origin ? sum + part.bytes : sum), 0);
    return { name: origin, version, licence, bytes };
  });
  if (packages.length === 0) throw new Error(`${name} has no licences of third-party packages.`);
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}
