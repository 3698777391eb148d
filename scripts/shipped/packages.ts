import type { Artifact, ShippedFile } from './Artifact.ts';

/** An npm package whose code ships. */
export interface ShippedPackage {
  name: string;
  version: string;
  /** From its package.json; `none` if that has no license. */
  license: string;
}

/** The comment that esbuild writes above each module, unless it minifies. */
const MODULE = /^\/\/ (\S+\.(?:[cm]?[jt]sx?|json))$/gm;
/** This repository's own modules, relative to a package. */
const OWN = /^(?:\.\.\/\.\.\/shared\/src\/|src\/|nodes\/|credentials\/|core\.ts$|package\.json$)/;

/**
 * Returns where a bundle's code is from, by esbuild's comments: the names of packages, and paths of other files that aren't
 * the package's own.
 * @throws Error when the bundle has no such comments
 */
export function foreignOrigins({ path, content }: ShippedFile): string[] {
  const modules = [...content.toString('utf8').matchAll(MODULE)].map(([, module = '']) => module);
  if (modules.length === 0) throw new Error(`${path} has no esbuild comments that name its sources.`);
  return [...new Set(modules.filter((module) => !OWN.test(module)).map(originOf))];
}

function originOf(module: string): string {
  const inside = module.split('node_modules/').slice(1).pop();
  return (inside === undefined ? module : /^(?:@[^/]+\/)?[^/]+/.exec(inside)?.[0]) ?? module;
}

/** A package's own manifest, not one in its subfolders. */
const MANIFEST = /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/;

/** Packages in an artifact's node_modules, sorted by name. Each version is listed. */
export function packagesIn({ files }: Artifact): ShippedPackage[] {
  return files
    .filter(({ path }) => MANIFEST.test(path))
    .map(({ content }) => {
      const { name, version, license } = JSON.parse(content.toString('utf8')) as Record<string, unknown>;
      return {
        name: String(name),
        version: String(version),
        license: typeof license === 'string' ? license : 'none',
      };
    })
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** A line of THIRD_PARTY_LICENSES.txt that names a package. The text of the license follows below. */
const LICENSED = /^((?:@[\w.-]+\/)?[\w.-]+) (\d\S*) \((.+)\)$/gm;

/** Packages named in a THIRD_PARTY_LICENSES.txt, sorted by name. */
export function licensedPackages(text: string): ShippedPackage[] {
  return [...text.matchAll(LICENSED)]
    .map(([, name = '', version = '', license = '']) => ({ name, version, license }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
