// npm run e2e:queue  the package on n8n in queue mode, with Debian's Redis and PostgreSQL
import { run } from './suite.ts';

await run();
