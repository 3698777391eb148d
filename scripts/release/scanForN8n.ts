import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import type * as eslint from 'eslint';
import { importFromTool } from '../tools/install.ts';

/** What is used of n8n's scanner. */
interface Scanner {
  SOURCE_FILE_PATTERNS: string[];
  buildScanConfig: () => Promise<eslint.Linter.Config[]>;
}

/** What is scanned: a package's sources, or its unpacked tarball. */
type ScannedForm = 'source' | 'tarball';

/** Returns what n8n's scanner reports, warnings included. The tool `package-checks` must be installed. */
export async function scanForN8n(cwd: string, form: ScannedForm): Promise<string[]> {
  const { buildScanConfig, SOURCE_FILE_PATTERNS } = await importFromTool<Scanner>(
    'package-checks',
    '@n8n/scan-community-package/scanner/scanner.mjs',
  );
  const { ESLint } = await importFromTool<typeof eslint>('package-checks', 'eslint');

  const patterns = form === 'source' ? SOURCE_FILE_PATTERNS : ['**/*.js', '**/*.ts', '**/*.json'];
  const linter = new ESLint({
    cwd,
    allowInlineConfig: false,
    overrideConfigFile: true,
    overrideConfig: await buildScanConfig(),
  });
  const files = globSync(patterns, { cwd, exclude: ['node_modules/**'] }).map((file) => join(cwd, file));
  const results = await linter.lintFiles(files);
  return results.flatMap(({ filePath, messages }) =>
    messages.map(
      ({ line, ruleId, message }) => `${relative(cwd, filePath)}:${line} ${ruleId ?? 'parse'} ${message}`,
    ),
  );
}
