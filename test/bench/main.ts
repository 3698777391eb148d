// npm run bench            runs all benchmarks
// npm run bench -- verify  runs one of them
const BENCHMARKS = [
  'verify',
  'get',
  'walk',
  'pacing',
  'n8n-poll',
  'zapier',
  'mcp',
  'emulator',
  'emulator-memory',
  'size',
];

/** These take minutes and need n8n, so they only run on request. */
const ON_REQUEST_ONLY = ['n8n-rows', 'n8n-server'];

const requested = process.argv.slice(2);
const unknown = requested.find((name) => ![...BENCHMARKS, ...ON_REQUEST_ONLY].includes(name));
if (unknown !== undefined) {
  console.error(
    `Unknown benchmark "${unknown}". Choose from: ${[...BENCHMARKS, ...ON_REQUEST_ONLY].join(', ')}.`,
  );
  process.exit(1);
}
for (const name of requested.length === 0 ? BENCHMARKS : requested) {
  const file = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const { run } = (await import(`./${file}.ts`)) as { run: () => Promise<void> };
  await run();
}
