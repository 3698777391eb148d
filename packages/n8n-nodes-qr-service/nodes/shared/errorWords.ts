import { isOwnError, isParameterError, type ErrorWords, type NotPublishedWords } from '../../core.ts';

const ACCOUNT_HINT = 'To see the scopes of an API key, use Account: Get.';

/** n8n's words for errors outside a run of the action node. */
export const N8N_WORDS: ErrorWords = { credential: 'credential', rerun: 'retry', scopes: ACCOUNT_HINT };

/**
 * The words for an operation of the action node.
 * @param endsRun whether the error makes the execution fail: n8n retries no other
 */
export function wordsFor(operation: string, endsRun: boolean): ErrorWords {
  if (!creates(operation)) return { ...N8N_WORDS, rerun: 'run the node again' };
  // Running Create again would create all rows of the run again. Retrying the execution doesn't.
  return {
    ...N8N_WORDS,
    rerun: endsRun ? 'retry this execution' : 'retry this item, unless its code already exists',
  };
}

function creates(operation: string): boolean {
  return operation === 'qrCode.create' || operation === 'qrCode.upsert';
}

/** What else is known if an invalid item ended the run before its first request. */
export function checkedWords(items: number, invalid: number): string {
  if (items === 1) return '';
  const others = invalid - 1;
  const are = others === 1 ? 'other item is' : 'other items are';
  return `${others === 0 ? '' : `${others} ${are} invalid, too. `}Nothing was sent to the service.`;
}

/** How far a run came before an item ended it. */
interface Progress {
  items: number;
  done: number;
  /** How many failed, with the one that ended the run. */
  failed: number;
  /** Whether all items that are done have a deduplication key. */
  isKeyed: boolean;
}

/** What is done after an item ended a run, and how to continue without doing it twice. Only creating does. */
export function progressWords(operation: string, cause: unknown, progress: Progress): string {
  const { items, done, failed, isKeyed } = progress;
  const others = failed > 1 ? `, and ${failed - 1} more failed` : '';
  const facts = `${done} of ${items} items are done${others}.`;
  if (!creates(operation)) return facts;
  const isItemAtFault = isParameterError(cause) || isOwnError(cause, 422);
  const skip = isItemAtFault
    ? ' To skip this item, set On Error to Continue, then retry with the currently saved workflow.'
    : '';
  const keyed = operation === 'qrCode.upsert' ? 'Match By is Name or they have' : 'they have';
  const again = isKeyed ? '' : ` A new execution will, unless ${keyed} a Deduplication Key.`;
  return `${facts} A retry under Executions within 24 hours won't create their codes again.${again}${skip}`;
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
