import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from '../process/npm.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Builds and packs a package and passes the tarball to `use`. */
export async function withTarball<Result>(
  packageDir: string,
  use: (tarball: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-pack-'));
  try {
    await npm(ROOT, 'run', 'build', '--', '-w', packageDir);
    const output = await npm(packageDir, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder);
    const [{ filename }] = JSON.parse(output) as [{ filename: string }];
    return await use(join(folder, filename));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
