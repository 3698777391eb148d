import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installTool } from '../../scripts/tools/install.ts';
import { packCore } from './support/packCore.ts';

beforeAll(() => installTool('package-checks'), 600_000);

test('publint and arethetypeswrong find no problem in the packed core', async () => {
  const core = await packCore();
  try {
    const script = join(__dirname, '../../scripts/release/packageProblems.ts');
    const args = ['--disable-warning=ExperimentalWarning', script, core.tarball];
    const env = { ...process.env, NODE_OPTIONS: '' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(JSON.parse(stdout)).toEqual({
      publint: [],
      entryPoints: ['.', './connector', './node', './shape', './undici', './webhook'],
      types: [],
    });
  } finally {
    await core.remove();
  }
});
