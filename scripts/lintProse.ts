// npm run lint:prose    finds words that read as if translated, and British spelling, in code and docs
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findIdioms } from './lint/proseWords.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const TEXT = /\.(?:css|html|js|json|md|mjs|ts|yaml|yml)$/;
/** Tests, the workflows and Zaps that they load, and the list of these words itself. */
const UNCHECKED =
  /(?:^|\/)(?:test|saved)\/(?!README)|\.test\.ts$|package-lock\.json$|^scripts\/lint\/proseWords\.ts$/;

const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => TEXT.test(file) && !UNCHECKED.test(file));

for (const file of files)
  for (const { line, text, use } of findIdioms(readFileSync(path.join(ROOT, file), 'utf8'))) {
    console.error(`${file}:${line} "${text}": write ${use}`);
    process.exitCode = 1;
  }
