import type { ShippedPackage } from './packages.ts';

/** Licences that only require attribution, if anything. */
const PERMISSIVE = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'Unlicense', 'Public Domain'],
]);

/** Reviewed exceptions, which are part of the engine that every Zapier app ships. */
const ACCEPTED = new Set([
  // Zapier's own, under its platform's terms.
  'zapier-platform-core',
  'zapier-platform-schema',
  // Has no licence field. A dependency of zapier-platform-core, through fernet.
  'urlsafe-base64',
]);

/** Packages whose licence is not permissive, except for the accepted ones. */
export function findDisallowedLicences(packages: readonly ShippedPackage[]): string[] {
  return packages
    .filter(({ name, licence }) => !ACCEPTED.has(name) && !isPermissive(licence))
    .map(({ name, version, licence }) => `${name}@${version} has the license ${licence}`);
}

/** With AND, all licences must be permissive; with OR, one of them. */
function isPermissive(licence: string): boolean {
  const choices = licence.replaceAll(/[()]/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((one) => PERMISSIVE.has(one)));
}
