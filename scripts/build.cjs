// npm run build                       builds all packages
// npm run build -- -w packages/probe  builds one
//
// Does nothing with BUILT=true: .ci/run builds once, and then runs side by side what would build again.
'use strict';
const { spawnSync } = require('node:child_process');
require('./requireNode.cjs');

if (process.env.BUILT !== 'true') {
  const which = process.argv.length > 2 ? process.argv.slice(2) : ['--workspaces'];
  const shell = process.platform === 'win32';
  const { status } = spawnSync('npm', ['run', 'build', '--silent', ...which], { stdio: 'inherit', shell });
  process.exitCode = status ?? 1;
}
