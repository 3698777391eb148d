import type { Manifest } from '../packages/workspaces.ts';

/** Limit of the packed size of each package, in kB. Raise it only for a reason that users would accept. */
export const MAX_PACKED_KB = 250;

/** Where `release:check` puts the tarballs and `releasePublish.ts` takes them from, relative to the repository. */
export const OUTPUT_FOLDER = 'out/release';

/** The name that npm gives to a package's tarball. */
export function tarballName({ name, version }: Manifest): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}

/** The dist-tag of a prerelease: for 1.0.0-next.0 its label, `next`. Undefined for other versions, which get `latest`. */
export function distTag(version: string): string | undefined {
  const label = /^[\d.]+-([^.]+)/.exec(version)?.[1];
  if (label === undefined) return undefined;
  // npm refuses tags that could be versions.
  return /^[a-z]/i.test(label) ? label : 'next';
}

/** The modules that a package exports, such as `.` and `./webhook`. */
export function entryPointsOf({ exports, main }: Manifest): { path: string; hasRequire: boolean }[] {
  if (exports === undefined) return main === undefined ? [] : [{ path: '.', hasRequire: true }];
  const isMap = typeof exports === 'object' && exports !== null && Object.keys(exports)[0]?.startsWith('.');
  return Object.entries(isMap === true ? exports : { '.': exports })
    .filter(([, target]) => typeof target !== 'string' || /\.[cm]?js$/.test(target))
    .map(([path, target]) => ({ path, hasRequire: JSON.stringify(target).includes('"require":') }));
}
