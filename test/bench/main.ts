// npm run bench                runs the benchmarks that take seconds
// npm run bench -- verify get  runs only these
// npm run bench -- --help      lists all
import { parseArgs } from 'node:util';
import { selectParts } from '../support/suite/selectParts.ts';
import { isUsageError, UsageError } from '../support/suite/UsageError.ts';
import { about, BENCHMARKS } from './benchmarks.ts';

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!isUsageError(error)) throw error;
  const isPart = error instanceof UsageError;
  console.error(
    isPart ? error.message : `${error.message.split('. ')[0]}. npm run bench -- --help lists the benchmarks.`,
  );
  process.exitCode = 2;
}

async function main(args: string[]): Promise<void> {
  const options = { help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (values.help === true) {
    console.log(help());
    return;
  }
  const named = selectParts(BENCHMARKS, positionals);
  const selected = positionals.length > 0 ? named : named.filter((name) => !BENCHMARKS[name]?.onlyOnRequest);
  for (const name of selected) await (await BENCHMARKS[name]?.load())?.run();
}

function help(): string {
  const lines = Object.entries(BENCHMARKS).map(
    ([name, benchmark]) => `  ${name.padEnd(16)} ${about(benchmark)}`,
  );
  return [
    'npm run bench [-- <benchmark> …]: measures speed and size, and writes the results to out/bench/.',
    '',
    ...lines,
    '',
    '  --help           shows this list',
  ].join('\n');
}
