import type { Artefact, ShippedFile } from './Artefact.ts';

/** An npm package whose code ships. */
export interface ShippedPackage {
  name: string;
  version: string;
  /** As its own package.json says it, `none` where that says nothing. */
  licence: string;
  /** Bytes of its files. */
  bytes: number;
}

/** Part of a bundle. */
export interface BundlePart {
  /** `own`, or the package that it is from. */
  origin: string;
  bytes: number;
}

/** What esbuild writes above each module of a bundle that is not minified. */
const MODULE = /^\/\/ (\S+\.(?:[cm]?[jt]sx?|json))$/gm;
/** Folders of this project, seen from a package. */
const OWN = /^(?:\.\.\/\.\.\/shared\/src\/|src\/|nodes\/|credentials\/|core\.ts$|package\.json$)/;

/**
 * What a bundle is made of, by the comments that esbuild wrote into it. What stands above the first one is
 * esbuild's own code.
 * @throws Error when it has no such comments, so that nothing can be told
 */
export function bundleParts(bundle: ShippedFile): BundlePart[] {
  const text = bundle.content.toString('utf8');
  const markers = [...text.matchAll(MODULE)];
  if (markers.length === 0) throw new Error(`${bundle.path} does not say what it is made of.`);
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

/** The packages in an artefact's node_modules, in the order of their names; one in two versions counts twice. */
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

/** A package's own manifest, not one of a folder inside of it. */
const MANIFEST = /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/;

interface Manifest {
  name: string;
  version: string;
  license?: unknown;
}
