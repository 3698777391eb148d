// npm run bench                runs all benchmarks
// npm run bench -- verify get  runs only these
import { isUsageError, selectParts } from '../support/suite/selectParts.ts';

const BENCHMARKS = {
  /** How fast are signatures verified, compared with other libraries? */
  verify: async () => (await import('./verify.ts')).verify(),
  /** How fast is reading a code, compared with other HTTP clients? */
  get: async () => (await import('./client.ts')).get(),
  /** How fast are listing 10,000 codes, and counting 10,000 scans? */
  walk: async () => (await import('./client.ts')).walk(),
  /** How long do searches among 20,000 codes block? */
  find: async () => (await import('./find.ts')).find(),
  /** How long do 2,000 creates take, limited to 200 a second? */
  pacing: async () => (await import('./pacing.ts')).pacing(),
  /** How fast does the polling trigger return 10,000 changed codes? */
  'n8n-poll': async () => (await import('./n8nPoll.ts')).n8nPoll(),
  /** What does the app add to a cold start, and how large is the upload? */
  zapier: async () => (await import('./zapier.ts')).zapier(),
  /** How long does the MCP server take from its start to its list of tools? */
  mcp: async () => (await import('./mcp.ts')).mcp(),
};

try {
  for (const name of selectParts(BENCHMARKS, process.argv.slice(2))) await BENCHMARKS[name]();
} catch (error) {
  if (!isUsageError(error)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
