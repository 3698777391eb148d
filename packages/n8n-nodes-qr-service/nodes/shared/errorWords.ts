import type { ErrorWords, NotPublishedWords } from '../../core.ts';

const ACCOUNT_HINT = 'To see the scopes of an API key, use Account: Get.';

/** n8n's words for errors outside a run of the action node. */
export const N8N_WORDS: ErrorWords = { credential: 'credential', rerun: 'retry', scopes: ACCOUNT_HINT };

/**
 * The words for an operation of the action node.
 * @param endsRun whether the error makes the execution fail: n8n retries no other
 */
export function wordsFor(operation: string, endsRun: boolean): ErrorWords {
  if (operation !== 'qrCode.create' && operation !== 'qrCode.upsert')
    return { ...N8N_WORDS, rerun: 'run the node again' };
  // Running Create again would create all rows of the run again. Retrying the execution doesn't.
  return {
    ...N8N_WORDS,
    rerun: endsRun ? 'retry this execution' : 'retry this item, unless its code already exists',
    inputsOf: 'qr.create',
  };
}

/**
 * The words for a code that was left unpublished.
 * @param isFoundAgain whether the same item finds the code in the next run
 */
export function notPublishedWords(endsRun: boolean, isFoundAgain: boolean): NotPublishedWords {
  const retry = " Retrying this execution within 24 hours is safe: it won't create a duplicate.";
  return {
    ...N8N_WORDS,
    publish: 'publish it with the Publish operation',
    again: isFoundAgain
      ? 'Running this item again publishes the same code.'
      : `Don't run Create again.${endsRun ? retry : ''}`,
  };
}

/** The words for the test of a credential. */
export const CREDENTIAL_TEST_WORDS: ErrorWords = { ...N8N_WORDS, rerun: 'test the credential again' };
