import type { ShippedPackage } from './packages.ts';

/** Licences that ask for no more than to be named. */
const PERMISSIVE = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'Unlicense', 'Public Domain'],
]);

/** Packages that are shipped all the same, each looked at: they are parts of the engine that every Zapier app ships. */
const ACCEPTED = new Set([
  // Zapier's own, under the terms of its platform.
  'zapier-platform-core',
  'zapier-platform-schema',
  // Says nothing of a licence; zapier-platform-core has it through fernet.
  'urlsafe-base64',
]);

/** The packages whose licence is neither permissive nor accepted for that package. */
export function findDisallowedLicences(packages: readonly ShippedPackage[]): string[] {
  return packages
    .filter(({ name, licence }) => !ACCEPTED.has(name) && !isPermissive(licence))
    .map(({ name, version, licence }) => `${name}@${version} has the licence ${licence}`);
}

/** Of several licences that all hold, each has to be permissive; of a choice, one. */
function isPermissive(licence: string): boolean {
  const choices = licence.replaceAll(/[()]/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((one) => PERMISSIVE.has(one)));
}
