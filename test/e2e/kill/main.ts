// npm run e2e:kill            kills each part of n8n in queue mode, and the service, in the middle of work
// npm run e2e:kill -- worker  one of them
import { chosen } from '../../../harness/suite/chosen.ts';
import { KILLS, run } from './suite.ts';

await run(chosen(KILLS));
