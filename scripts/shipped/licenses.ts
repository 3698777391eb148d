import type { ShippedPackage } from './packages.ts';

/** Licenses that only require attribution, if anything. */
const PERMISSIVE = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'Unlicense', 'Public Domain'],
]);

/** Reviewed exceptions, which are part of the engine that every Zapier app ships. */
const ACCEPTED = new Set([
  // Zapier's own, under its platform's terms.
  'zapier-platform-core',
  'zapier-platform-schema',
  // Has no license field. A dependency of zapier-platform-core, through fernet.
  'urlsafe-base64',
]);

/** Packages whose license is not permissive, except for the accepted ones. */
export function findDisallowedLicenses(packages: readonly ShippedPackage[]): string[] {
  return packages
    .filter(({ name, license }) => !ACCEPTED.has(name) && !isPermissive(license))
    .map(({ name, version, license }) => `${name}@${version} has the license ${license}`);
}

/** With AND, all licenses must be permissive; with OR, one of them. */
function isPermissive(license: string): boolean {
  const choices = license.replaceAll(/[()]/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((one) => PERMISSIVE.has(one)));
}
