// npm run e2e:soak                 20 minutes of mixed load on a real n8n server
// npm run e2e:soak -- --minutes 3  a quick look; what leaks little shows only in a long run
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '20' } } });
const minutes = Number(values.minutes);

if (minutes >= 2) await soak(minutes);
else {
  console.error('--minutes takes a number from 2 on.');
  process.exitCode = 1;
}
