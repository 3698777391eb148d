// Lints a folder as n8n's scanner does and prints each message, warnings included, as a line.
// node scanPackage.ts <folder> source|tarball
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import type * as eslint from 'eslint';
import { importFromTool } from '../../../tools/install.ts';

/** The functions of n8n's scanner that are used here. */
interface Scanner {
  SOURCE_FILE_PATTERNS: string[];
  buildScanConfig: () => Promise<eslint.Linter.Config[]>;
}

const { buildScanConfig, SOURCE_FILE_PATTERNS } = await importFromTool<Scanner>(
  'package-checks',
  '@n8n/scan-community-package/scanner/scanner.mjs',
);
const { ESLint } = await importFromTool<typeof eslint>('package-checks', 'eslint');

const [, , cwd = '', leg] = process.argv;
const patterns = leg === 'source' ? SOURCE_FILE_PATTERNS : ['**/*.js', '**/*.ts', '**/*.json'];
const linter = new ESLint({
  cwd,
  allowInlineConfig: false,
  overrideConfigFile: true,
  overrideConfig: await buildScanConfig(),
});
const files = globSync(patterns, { cwd, exclude: ['node_modules/**'] }).map((file) => join(cwd, file));
for (const { filePath, messages } of await linter.lintFiles(files))
  for (const { line, ruleId, message } of messages)
    console.log(`${relative(cwd, filePath)}:${line} ${ruleId ?? 'parse'} ${message}`);
