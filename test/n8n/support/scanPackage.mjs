// Lints a folder as n8n's scanner does and prints each message, warnings included, as a line.
// node scanPackage.mjs <folder> source|tarball
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildScanConfig, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';

const [, , cwd, leg] = process.argv;
const patterns = leg === 'source' ? SOURCE_FILE_PATTERNS : ['**/*.js', '**/*.ts', '**/*.json'];
const eslint = new ESLint({
  cwd,
  allowInlineConfig: false,
  overrideConfigFile: true,
  overrideConfig: await buildScanConfig(),
});
const files = globSync(patterns, { cwd, exclude: ['node_modules/**'] }).map((file) => join(cwd, file));
for (const { filePath, messages } of await eslint.lintFiles(files))
  for (const { line, ruleId, message } of messages)
    console.log(`${relative(cwd, filePath)}:${line ?? 0} ${ruleId ?? 'parse'} ${message}`);
