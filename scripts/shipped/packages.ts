import type { Artefact, ShippedFile } from './Artefact.ts';

/** An npm package whose code ships. */
export interface ShippedPackage {
  name: string;
  version: string;
  /** From its package.json; `none` if that has no licence. */
  licence: string;
  /** Total size of its files, in bytes. */
  bytes: number;
}

/** Code in a bundle from one origin. */
export interface BundlePart {
  /** `own`, or the name of a package. */
  origin: string;
  bytes: number;
}

/** The comment that esbuild writes above each module, unless it minifies. */
const MODULE = /^\/\/ (\S+\.(?:[cm]?[jt]sx?|json))$/gm;
/** This repository's own modules, relative to a package. */
const OWN = /^(?:\.\.\/\.\.\/shared\/src\/|src\/|nodes\/|credentials\/|core\.ts$|package\.json$)/;

/**
 * Returns the origins of a bundle's code, by esbuild's comments. The code above the first comment is esbuild's.
 * @throws Error when the bundle has no such comments
 */
export function bundleParts(bundle: ShippedFile): BundlePart[] {
  const text = bundle.content.toString('utf8');
  const markers = [...text.matchAll(MODULE)];
  if (markers.length === 0) throw new Error(`${bundle.path} has no esbuild comments that name its sources.`);
  const bytesOf = new Map<string, number>();
  markers.forEach((marker, index) => {
    const origin = originOf(marker[1] ?? '');
    const code = text.slice(marker.index, markers[index + 1]?.index ?? text.length);
    bytesOf.set(origin, (bytesOf.get(origin) ?? 0) + Buffer.byteLength(code));
  });
  return [...bytesOf].map(([origin, bytes]) => ({ origin, bytes }));
}

function originOf(module: string): string {
  const inside = module.split('node_modules/').slice(1).pop();
  if (inside !== undefined) return /^(?:@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? inside;
  return OWN.test(module) ? 'own' : module;
}

/** Packages in an artefact's node_modules, sorted by name. Each version is listed. */
export function packagesIn({ files }: Artefact): ShippedPackage[] {
  const manifests = files.filter(({ path }) => MANIFEST.test(path));
  return manifests
    .map((manifest) => {
      const { name, version, license } = JSON.parse(manifest.content.toString('utf8')) as Manifest;
      const packageFolder = manifest.path.slice(0, -'package.json'.length);
      const own = files.filter(
        ({ path }) =>
          path.startsWith(packageFolder) && !path.slice(packageFolder.length).includes('node_modules/'),
      );
      const bytes = own.reduce((sum, { content }) => sum + content.length, 0);
      return { name, version, licence: typeof license === 'string' ? license : 'none', bytes };
    })
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** A package's own manifest, not one in its subfolders. */
const MANIFEST = /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/;

interface Manifest {
  name: string;
  version: string;
  license?: unknown;
}
