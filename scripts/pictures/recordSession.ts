// npm run record:session: runs a session with the MCP server and writes the picture in its README.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runSession } from './session.ts';
import { sessionSvg } from './sessionSvg.ts';

const FILE = 'packages/mcp-server/images/session.svg';
const path = fileURLToPath(new URL(`../../${FILE}`, import.meta.url));

const turns = await runSession();
mkdirSync(fileURLToPath(new URL('../../packages/mcp-server/images/', import.meta.url)), { recursive: true });
writeFileSync(path, sessionSvg(turns));
console.log(`${FILE}: ${turns.length} turns.`);
