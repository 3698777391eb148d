// npm run e2e:kill            kills each part of n8n in queue mode, and the service, in the middle of work
// npm run e2e:kill -- worker  one of them
import { KILLS, run } from './suite.ts';

const names = process.argv.slice(2);
const unknown = names.find((name) => !Object.hasOwn(KILLS, name));
if (unknown !== undefined) {
  console.error(`There is no kill test ${unknown}. There are: ${Object.keys(KILLS).join(', ')}.`);
  process.exit(1);
}
await run(names.length === 0 ? Object.keys(KILLS) : names);
