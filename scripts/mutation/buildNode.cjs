// node scripts/mutation/buildNode.cjs <file>   builds the n8n package, and hides from Stryker which test loads the file
//
// The test would otherwise seem to be the only one for the code that runs on loading.
const { execSync } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');

execSync('npm run build --silent -w n8n-nodes-qr-service');
const [, , file] = process.argv;
writeFileSync(
  file,
  `'use strict';
const strykerState = globalThis.__stryker__ ?? {}, strykerTest = strykerState.currentTestId;
strykerState.currentTestId = undefined;
${readFileSync(file, 'utf8')}
strykerState.currentTestId = strykerTest;
`,
);
