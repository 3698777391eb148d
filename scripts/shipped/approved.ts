import { readFile, writeFile } from 'node:fs/promises';
import type { ShippedPackage } from './packages.ts';

/** An approved package. */
type Approved = Pick<ShippedPackage, 'name' | 'version' | 'licence'>;

/** Records the shipped packages as approved, for review. */
export async function approve(file: string, packages: readonly ShippedPackage[]): Promise<void> {
  await writeFile(file, `${JSON.stringify(packages.map(withoutBytes), null, 2)}\n`);
}

/** Packages that ship without approval, and approved packages that no longer ship. */
export async function findUnapproved(file: string, packages: readonly ShippedPackage[]): Promise<string[]> {
  return compare(JSON.parse(await readFile(file, 'utf8')) as Approved[], packages);
}

/** Differences between the approved and the shipped packages. */
export function compare(approved: readonly Approved[], shipped: readonly Approved[]): string[] {
  const before = new Set(approved.map(describePackage));
  const now = new Set(shipped.map(describePackage));
  return [
    ...[...now].filter((line) => !before.has(line)).map((line) => `${line} ships but isn't approved`),
    ...[...before].filter((line) => !now.has(line)).map((line) => `${line} is approved but doesn't ship`),
  ];
}

function withoutBytes({ name, version, licence }: ShippedPackage): Approved {
  return { name, version, licence };
}

function describePackage({ name, version, licence }: Approved): string {
  return `${name}@${version} (${licence})`;
}
