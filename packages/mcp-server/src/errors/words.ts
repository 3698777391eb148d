import type { ErrorWords } from '@qr-service/core/connector';

/** The words for errors that a model reads and can act on. */
export const MCP_WORDS: ErrorWords = {
  credential: "MCP server's configuration",
  rerun: 'call this tool again',
  scopes: 'To see the scopes of the API key, call whoami.',
};
