// npm run bench            all questions
// npm run bench -- verify  one of them
const QUESTIONS = [
  'verify',
  'get',
  'walk',
  'pacing',
  'n8n-poll',
  'zapier',
  'emulator',
  'emulator-memory',
  'size',
];

/** Those that take minutes and an installed n8n: only when they are named. */
const NAMED_ONLY = ['n8n-rows', 'n8n-server'];

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => ![...QUESTIONS, ...NAMED_ONLY].includes(name));
if (unknown !== undefined) {
  console.error(`There is no benchmark ${unknown}. There are: ${[...QUESTIONS, ...NAMED_ONLY].join(', ')}.`);
  process.exit(1);
}
for (const name of wanted.length === 0 ? QUESTIONS : wanted) {
  const file = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const { run } = (await import(`./${file}.ts`)) as { run: () => Promise<void> };
  await run();
}
