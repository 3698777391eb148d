// node anyPackage.mjs <name> <its entry points, as JSON>
// Uses everything that an installed package offers: its modules, its commands, and its nodes and credentials for n8n.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const [, , name, entryPoints] = process.argv;
const folder = fileURLToPath(new URL(`node_modules/${name}/`, import.meta.url));
const { bin = {}, n8n = {} } = require(path.join(folder, 'package.json'));

for (const { path: entryPoint, hasRequire } of JSON.parse(entryPoints)) {
  const module = name + entryPoint.slice(1);
  const exported = Object.keys(await import(module));
  assert(exported.length > 0, `${module} exports nothing`);
  if (!hasRequire) continue;
  const required = require(module);
  for (const key of exported)
    if (!['default', 'module.exports'].includes(key))
      assert(key in required, `require('${module}') has no ${key}`);
}

for (const file of Object.values(typeof bin === 'string' ? { [name]: bin } : bin)) {
  const help = execFileSync(process.execPath, [path.join(folder, file), '--help'], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  assert.notEqual(help.trim(), '', `${file} --help prints nothing`);
}

for (const file of [...(n8n.nodes ?? []), ...(n8n.credentials ?? [])]) {
  const [className = ''] = path.basename(file).split('.');
  const { description, name: credential } = new (require(path.join(folder, file))[className])();
  assert(description?.name ?? credential, `${file} has no name`);
}
