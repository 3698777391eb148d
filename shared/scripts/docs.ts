// Writes api.md, one line for each export of the core. With --check, fails if the page isn't up to date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { describeApi } from './describeApi.ts';
import { CORE, readApi } from './readApi.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' } },
  allowPositionals: true,
});
const [file = `${CORE}api.md`] = positionals;
const page = await format(describeApi(readApi()), { ...(await resolveConfig(file)), filepath: file });

if (values.check !== true) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  console.error('shared/api.md is not up to date with the exports of the core. Run `npm run docs`.');
  process.exitCode = 1;
}
