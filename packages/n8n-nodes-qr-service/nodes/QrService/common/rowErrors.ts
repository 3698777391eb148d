import type { IDataObject, IExecuteFunctions, NodeApiError } from 'n8n-workflow';
import {
  describeError,
  describeNotPublished,
  isApiError,
  isNotPublishedError,
  isOwnError,
  isParameterError,
  isQrServiceError,
  omitUndefined,
  type ErrorWords,
} from '../../../deps.ts';
import { N8N_WORDS, setText, toNodeError, type NodeError } from '../../platform/errors.ts';
import { endsRetriableRun } from './agent.ts';
import { failedInput } from './codeOutput.ts';

/** The words for an operation. `isRetriable`: whether the error ends an execution that n8n can retry. */
export function wordsFor(operation: string, isRetriable: boolean): ErrorWords {
  const rerunNode = 'run the node again';
  // Only creating has a key that users can change.
  const advice = new Map([
    ['idempotency_conflict', `To try once more, ${rerunNode}. If it keeps failing, contact support.`],
  ]);
  if (!creates(operation)) return { ...N8N_WORDS, rerun: rerunNode, advice };
  // Running Create again would create all rows of the run again. Retrying the execution doesn't.
  const rerun = isRetriable ? 'retry this execution' : 'retry this item, unless its code already exists';
  return { ...N8N_WORDS, rerun };
}

function creates(operation: string): boolean {
  return operation === 'qrCode.create' || operation === 'qrCode.upsert';
}

/** How many other items the error that ended a run names. */
const MAX_NAMED = 3;

/** Which items are invalid, and why up to three besides the first are. n8n's editor counts items from 0, too. */
export function checkedWords(items: number, invalid: ReadonlyMap<number, Error>): string {
  if (items === 1) return '';
  const [[first], ...others] = [...invalid] as [[number, Error], ...[number, Error][]];
  const named = others
    .slice(0, MAX_NAMED)
    .map(([itemIndex, error]) => `${itemIndex} (${describeError(error).message})`);
  const rest = others.length > MAX_NAMED ? ` and ${others.length - MAX_NAMED} more` : '';
  const all = [first, ...named].join(', ');
  return `Invalid ${others.length === 0 ? 'item' : 'items'}, counted from 0: ${all}${rest}. Nothing was sent to the service.`;
}

/** What is done after an item ended a run, and how to continue without creating codes twice. */
export function progressWords(
  operation: string,
  cause: unknown,
  progress: {
    items: number;
    itemIndex: number;
    done: number;
    failed: number;
    isKeyed: boolean;
    isRetriable: boolean;
  },
): string {
  const { items, itemIndex, done, failed, isKeyed, isRetriable } = progress;
  const others = failed > 1 ? ` and ${failed - 1} more` : '';
  const facts = `${done} of ${items} items are done. Item ${itemIndex}${others} failed, counted from 0.`;
  if (!creates(operation)) return facts;
  const skip =
    isParameterError(cause) || isOwnError(cause, 422)
      ? ' To skip this item, set On Error to Continue, then retry with the currently saved workflow.'
      : '';
  const keyed = operation === 'qrCode.upsert' ? 'Match By is Name or they have' : 'they have';
  const again = (what: string) => (isKeyed ? '' : ` ${what}, unless ${keyed} a Deduplication Key.`);
  if (!isRetriable) return `${facts}${again('Running the sub-workflow again creates their codes again')}`;
  return `${facts} A retry under Executions within 24 hours won't create their codes again.${again('A new execution will')}${skip}`;
}

/** What to say about a code that isn't finished. `isFoundAgain`: whether the same item finds it in the next run. */
export type UnfinishedWords = Partial<Parameters<typeof describeNotPublished>[1]> & {
  isFoundAgain?: boolean;
};

/** Makes the handler of a failed write: about a code that exists but isn't finished, its error has the code, so that nobody creates a duplicate. */
export function throwUnfinished(
  context: IExecuteFunctions,
  { isFoundAgain = false, ...words }: UnfinishedWords,
): (error: unknown) => never {
  const retry = endsRetriableRun(context)
    ? " Retrying this execution within 24 hours is safe: it won't create a duplicate."
    : '';
  const again = isFoundAgain
    ? 'Running this item again continues with the same code.'
    : `Don't run Create again.${retry}`;
  return (error) => {
    if (!isNotPublishedError(error)) throw error;
    const nodeError = toNodeError(context.getNode(), error.cause);
    const publish = 'publish it with the Publish operation';
    setText(nodeError, describeNotPublished(error, { ...N8N_WORDS, publish, again, ...words }));
    nodeError.context['qrCode'] = error.qrCode;
    throw nodeError;
  };
}

/** A failed item. n8n sends it to the error output only if it has no keys but `error` and `details`: those hold all the rest. */
export function errorItem(context: IExecuteFunctions, error: NodeError, itemIndex: number) {
  const { cause, httpCode } = error as Partial<NodeApiError>;
  const { requestId, details } = isApiError(cause) ? cause : {};
  const { qrCode } = error.context;
  const { json, ...files } = failedInput(context, itemIndex);
  return {
    ...files,
    json: {
      ...json,
      error: error.message,
      details: {
        description: error.description ?? '',
        code: isQrServiceError(cause) ? cause.code : 'invalid_input',
        ...(omitUndefined({ httpCode, requestId, details, qrCode }) as IDataObject),
      },
    },
    pairedItem: { item: itemIndex },
  };
}
