// npm run e2e:queue            the package on n8n in queue mode, with Debian's Redis and PostgreSQL
// npm run e2e:queue -- events  a part of it
import { chosen } from '../../../harness/suite/chosen.ts';
import { PARTS, run } from './suite.ts';

await run(chosen(PARTS));
