// npm run zapier -- validate --without-style   validates the app as Zapier's CLI does, offline
// npm run zapier -- build [--public]           builds the zip that `zapier-platform upload` sends: without --public, for private use
// npm run zapier -- invoke auth test           invokes a part of the app with the connection in .env
// npm run zapier -- login                      runs any other command of Zapier's CLI
import { cp, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installToolOrExit } from '../tools/install.ts';
import { APP_FOLDER, stageApp } from './app.ts';
import { zapierCommand } from './cli.ts';

const [command = '', ...args] = process.argv.slice(2);
const unknown = command === 'build' ? args.find((arg) => arg !== '--public') : undefined;
if (command === 'push')
  // It would upload the private bundle in dist/, and other files of the repository.
  refuse('"push" isn\'t used here. Run "npm run zapier -- build --public", then "npm run zapier -- upload".');
else if (unknown !== undefined) refuse(`Unknown option ${unknown}. The only option is --public.`);
else {
  await installToolOrExit('zapier-cli');
  if (command === 'build') await build(args);
  else await runCommand(APP_FOLDER, [command, ...args]);
}

/** Builds in a temporary folder, so that a failed build leaves nothing behind. */
async function build(flags: readonly string[]): Promise<void> {
  const stage = await mkdtemp(path.join(tmpdir(), 'zapier-qr-service-'));
  try {
    await stageApp(stage, flags);
    const line = ['build', '--skip-validation', '--skip-dep-install'];
    await runCommand(stage, line);
    // Zapier's CLI stops its own test of the zip after 5 seconds. A busy machine may need longer.
    if (process.exitCode !== 0) await runCommand(stage, line);
    if (process.exitCode !== 0) return;
    await mkdir(path.join(APP_FOLDER, 'build'), { recursive: true });
    for (const zip of ['build.zip', 'source.zip']) {
      const destination = path.join(APP_FOLDER, 'build', zip);
      await cp(path.join(stage, 'build', zip), destination);
      const { size } = await stat(destination);
      console.log(`${path.relative(process.cwd(), destination)}: ${Math.round(size / 1000)} kB`);
    }
    console.log(
      flags.length > 0
        ? 'Public build: connections need an https:// base URL.'
        : 'Private build: connections may use http://localhost. To publish, build with --public.',
    );
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

async function runCommand(folder: string, line: readonly string[]): Promise<void> {
  process.exitCode = (await zapierCommand(folder, line, { show: true })).code ?? 1;
}

function refuse(reason: string): void {
  console.error(reason);
  process.exitCode = 1;
}
