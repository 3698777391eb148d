import type { describeNotPublished, ErrorWords } from '@qr-service/core/connector';

/** The words for errors that a model reads and can act on. */
export const MCP_WORDS: ErrorWords = {
  credential: "MCP server's configuration",
  rerun: 'call this tool again',
  scopes: 'To see the scopes of the API key, call whoami.',
  advice: new Map([
    [
      'target_not_allowed',
      'Use another address, or ask the user to add it to --allow-targets of this server.',
    ],
  ]),
};

/** The words for a row, also if its code was not published. */
export type RowWords = ErrorWords & Parameters<typeof describeNotPublished>[1];

/** The words for a row of a tool that creates codes. */
export function rowWords(tool: string): RowWords {
  return {
    ...MCP_WORDS,
    rerun: `call ${tool} again with this row, which won't create a duplicate in this session`,
    publish: 'publish it with publish_qr_code',
    again: `Calling ${tool} again with the same row in this session is safe too: it publishes this code.`,
  };
}

/** The words for an image of a code that was created. */
export const IMAGE_WORDS: ErrorWords = { ...MCP_WORDS, rerun: "call render_qr_codes with this code's ID" };
