import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** The Node that runs consumers. The tests themselves need a newer one than the packages. */
export const CONSUMER_NODE = process.env['CONSUMER_NODE'] || process.execPath;

/** The built core as it would be published. */
export interface PackedCore {
  tarball: string;
  /**
   * Copies a consumer project to a folder where only the tarball's content and the linked packages can be resolved.
   * Returns the folder.
   */
  install(project: string, links: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Packs the core, which must be built already. */
export async function packCore(): Promise<PackedCore> {
  const folder = await mkdtemp(join(tmpdir(), 'qr-service-core-'));
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, {
    cwd: join(ROOT, 'shared'),
    shell: process.platform === 'win32',
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const tarball = join(folder, filename);
  return {
    tarball,
    install: async (project, links) => {
      const consumer = join(folder, project);
      await cp(join(ROOT, 'test/consumers', project), consumer, { recursive: true });
      const modules = join(consumer, 'node_modules');
      const core = join(modules, '@qr-service/core');
      await mkdir(core, { recursive: true });
      await run('tar', ['-xzf', tarball, '-C', core, '--strip-components=1']);
      for (const name of links) {
        await mkdir(dirname(join(modules, name)), { recursive: true });
        await rm(join(modules, name), { force: true });
        await symlink(join(ROOT, 'node_modules', name), join(modules, name), 'junction');
      }
      return consumer;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
