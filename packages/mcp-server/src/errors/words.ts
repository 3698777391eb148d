import type { ErrorWords, NotPublishedWords } from '@qr-service/core/connector';

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

/** The words for a row of create_qr_codes. */
export const CREATE_WORDS: ErrorWords = {
  ...MCP_WORDS,
  rerun: "call create_qr_codes again with this row, which won't create a duplicate in this session",
};

/** The words for a row of upsert_qr_codes. */
export const UPSERT_WORDS: ErrorWords = {
  ...MCP_WORDS,
  rerun: "call upsert_qr_codes again with this row, which won't create a duplicate in this session",
};

/** The words for an image of a code that was created. */
export const IMAGE_WORDS: ErrorWords = {
  ...MCP_WORDS,
  rerun: "call render_qr_codes with this code's ID",
};

/** The words for a code that was created but not published. */
export const NOT_PUBLISHED_WORDS: NotPublishedWords = {
  ...MCP_WORDS,
  publish: 'publish it with publish_qr_code',
  again:
    "Calling create_qr_codes again with the same row in this session is safe too: it won't create a duplicate.",
};

/** The same for a row of upsert_qr_codes. */
export const UPSERT_NOT_PUBLISHED_WORDS: NotPublishedWords = {
  ...NOT_PUBLISHED_WORDS,
  again:
    'Calling upsert_qr_codes again with the same row in this session is safe too: it publishes the code.',
};
