import type { ErrorWords, NotPublishedWords } from '../../core.ts';

const ACCOUNT_HINT = 'To see the scopes of an API key, use Account: Get.';

/** n8n's words for errors outside a run of the action node. */
export const N8N_WORDS: ErrorWords = { credential: 'credential', rerun: 'retry', scopes: ACCOUNT_HINT };

/** The words for an operation of the action node. */
export function wordsFor(operation: string): ErrorWords {
  // Run again, Create would create all rows of the run once more. A retry of the execution doesn't.
  return {
    ...N8N_WORDS,
    rerun: operation === 'qrCode.create' ? 'retry this execution' : 'run the node again',
  };
}

/** The words for a code that Create left unpublished. */
export const NOT_PUBLISHED_WORDS: NotPublishedWords = {
  ...N8N_WORDS,
  publish: 'publish it with the Publish operation',
  again: "Don't run Create again. Retrying this execution is safe: it won't create a duplicate.",
};

/** The words for the test of a credential. */
export const CREDENTIAL_TEST_WORDS: ErrorWords = { ...N8N_WORDS, rerun: 'test the credential again' };
