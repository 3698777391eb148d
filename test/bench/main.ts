// npm run bench            all questions
// npm run bench -- verify  one of them
const QUESTIONS = ['verify', 'get', 'walk', 'pacing', 'size'];

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !QUESTIONS.includes(name));
if (unknown !== undefined) {
  console.error(`There is no benchmark ${unknown}. There are: ${QUESTIONS.join(', ')}.`);
  process.exit(1);
}
for (const name of wanted.length === 0 ? QUESTIONS : wanted) {
  const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<void> };
  await run();
}
