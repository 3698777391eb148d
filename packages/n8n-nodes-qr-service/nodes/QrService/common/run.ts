import {
  sleep,
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeProperties,
} from 'n8n-workflow';
import {
  CodeFinder,
  CodeMemory,
  CodeUpserter,
  conflictingRows,
  inOutputOrder,
  omitUndefined,
  ParameterError,
  sentence,
  TransportError,
  type CallOptions,
  type QrCode,
  type PlatformClient,
  turns,
  type UpsertRow,
} from '../../../deps.ts';
import { createClientFor, readCredential } from '../../platform/client.ts';
import { toNodeError, type NodeError } from '../../platform/errors.ts';
import { Parameters } from '../../platform/parameters.ts';
import { endsRetriableRun, endsRun, isAgentRun, withAdviceInMessage } from './agent.ts';
import { includeInputFieldsProperty, qrCodeIdProperty } from './descriptions.ts';
import { outcomeOf, sumUp } from './hints.ts';
import { idempotencyKeys } from './idempotencyKeys.ts';
import { mapInOrder } from './mapInOrder.ts';
import { startOutage, type Outage } from './outage.ts';
import { checkedWords, errorItem, progressWords, wordsFor } from './rowErrors.ts';

/** Shared by all items of one run of the node. */
export interface Run {
  context: IExecuteFunctions;
  client: PlatformClient;
  memory: CodeMemory;
  /** Whether an AI agent called the node as a tool, so that its model reads the result. */
  isAgentRun: boolean;
  /** Ends a run in minutes instead of hours if the service is down. */
  outage: Outage;
  parameters: (itemIndex: number) => Parameters;
  /** For reads: the signal that is aborted when the execution is canceled. */
  requestOptions: CallOptions;
  /** For an item's creations: also the key of each payload, by default based on the user's deduplication key, read at once. */
  writeOptions: (itemIndex: number, useDeduplicationKey?: boolean) => (payload: unknown) => CallOptions;
  /** Whether a write of the item was sent with the user's deduplication key. */
  hasDeduplicationKey: (itemIndex: number) => boolean;
  /** Reads which code an item refers to, by ID or link. The result looks up its ID. */
  qrCodeId: (itemIndex: number) => () => Promise<string>;
  /** One code, read once per run, if that works: it is for names and warnings, so after a failure nothing is read. */
  readCode: (id: string) => Promise<QrCode | undefined>;
  /** What else the user should know after the run, in whole sentences. */
  notes: Set<string>;
  /** The codes that aren't published among those whose images were downloaded, by ID. */
  unpublished: Map<string, QrCode>;
  /** The codes of the workspace, which are read once per run. */
  codes: () => CodeFinder;
  /** The rows of an upsert, by their items: some may contradict each other. */
  upsertRows: Map<number, UpsertRow>;
  upserter: CodeUpserter;
  changeInOrder: ReturnType<typeof makeChangeInOrder>;
}

/**
 * One operation on one item: reads and checks all of its parameters, and returns the work with its requests. Work begins
 * once all items are checked. Its outputs are paired with the item, unless they specify another pairing.
 */
export type Operation = (run: Run, itemIndex: number) => () => Promise<INodeExecutionData[]>;

/** How long a run waits for the rate limit while no item succeeds, in milliseconds: windows of an hour are common. */
const RATE_LIMIT_MS = 70 * 60 * 1000;
/** The same for an agent: someone may be waiting for its reply, and its model can report the wait instead. */
const AGENT_RATE_LIMIT_MS = 60 * 1000;

/** How many items are processed at once: n8n opens a connection for each request, so this speeds up many rows. */
const CONCURRENCY = 10;

/** How many items are checked before n8n gets a turn: expressions of thousands of items take seconds. */
const CHECKED_AT_ONCE = 200;

/** Sets up what all items of one run share. */
export async function startRun(context: IExecuteFunctions, operation: string): Promise<Run> {
  const calledByAgent = isAgentRun(context);
  const connection = await readCredential(context);
  const rateLimitMs = calledByAgent ? AGENT_RATE_LIMIT_MS : RATE_LIMIT_MS;
  const client = createClientFor(context, connection, { retry: { rateLimitMs } });
  const { keysOf, isFromUser } = idempotencyKeys(context, operation);
  const requestOptions = omitUndefined({ signal: context.getExecutionCancelSignal() });
  const outage = startOutage();
  const memory = CodeMemory.of(connection);
  const parameters = (itemIndex: number) => Parameters.ofItem(context, itemIndex);
  const named = new Set<string>();
  let finder: CodeFinder | undefined;
  let mayRead = true;
  const codes = () =>
    (finder ??= new CodeFinder(client.qr, { ...requestOptions, lookups: named.size, memory }));
  const lookups = context.getInputData().length;
  return {
    context,
    client,
    memory,
    isAgentRun: calledByAgent,
    outage,
    parameters,
    requestOptions,
    hasDeduplicationKey: isFromUser,
    writeOptions: (itemIndex, useDeduplicationKey) => {
      const keyOf = keysOf(itemIndex, useDeduplicationKey);
      return (payload) => ({ ...requestOptions, idempotencyKey: keyOf(payload) });
    },
    qrCodeId: (itemIndex) => {
      const code = readNamedCode(parameters(itemIndex));
      named.add(code);
      return () => codes().idOf(code);
    },
    readCode: async (id) => {
      if (!mayRead) return undefined;
      try {
        return await codes().byId(id);
      } catch {
        mayRead = false;
      }
      return undefined;
    },
    notes: new Set(),
    unpublished: new Map(),
    codes,
    upsertRows: new Map(),
    upserter: new CodeUpserter(client.qr, { ...requestOptions, lookups, memory }),
    changeInOrder: makeChangeInOrder(() => outage.throwIfDown()),
  };
}

function readNamedCode(parameters: Parameters): string {
  const named = parameters.located(qrCodeIdProperty);
  if (named !== '') return named;
  const label = qrCodeIdProperty.displayName;
  throw new ParameterError(`${label} is empty.`, {
    code: 'validation_failed',
    parameter: label,
    advice: 'Choose one from the list, or enter an ID or a short link.',
  });
}

/** @throws ParameterError if several items would all change the one code that was entered */
export function checkOwnCode({ context, parameters }: Run, itemIndex: number, property: INodeProperties) {
  const values = parameters(itemIndex);
  const items = context.getInputData().length;
  if (items === 1 || values.isExpression(property) || values.located(property) === '') return;
  const { displayName } = property;
  throw new ParameterError(`${displayName} is the same for all ${items} items.`, {
    code: 'invalid_input',
    parameter: displayName,
    advice:
      'Map it to the field that has the ID or short link of each row, for example {{ $json.id }}. For a single change, turn on Execute Once in the settings of the node.',
  });
}

/**
 * Makes the function that changes the codes of one run's items, called in their order: each change follows the earlier ones
 * about its code, however each item names it, so the last one wins.
 * @param beforeChange throws if no more changes may be sent
 */
function makeChangeInOrder(beforeChange: () => void) {
  const inTurn = turns();
  let latestId: Promise<unknown> = Promise.resolve();
  return async <Result>(
    codeId: () => Promise<string>,
    change: (id: string) => Promise<Result>,
  ): Promise<Result> => {
    const found = codeId();
    const inOrder = Promise.allSettled([latestId, found]).then(() => found);
    latestId = inOrder;
    const id = await inOrder;
    return inTurn(id, () => {
      beforeChange();
      return change(id);
    });
  };
}

/**
 * Makes the output of a write, with the fields of the input item if the user wants them. Reads that parameter at once, so call
 * it before the first request.
 */
export function resultItem({ context, parameters }: Run, itemIndex: number) {
  const isIncluded = parameters(itemIndex).yesNo(includeInputFieldsProperty);
  const input = (isIncluded && context.getInputData()[itemIndex]?.json) || {};
  return (code: QrCode, more?: IDataObject): INodeExecutionData[] => {
    const result = inOutputOrder({ ...code, ...more }) as IDataObject;
    const own = Object.entries(input).map(([key, value]) =>
      key in result && result[key] !== value && !(`input_${key}` in input)
        ? [`input_${key}`, value]
        : [key, value],
    );
    return [{ json: { ...(Object.fromEntries(own) as IDataObject), ...result } }];
  };
}

/**
 * Checks all items, then runs the operation on each. If failed items end the run, an invalid one ends it before anything is
 * sent: running it again would otherwise repeat what the items before it did.
 */
export async function runItems(run: Run, name: string, execute: Operation): Promise<INodeExecutionData[]> {
  const { context, outage } = run;
  const items = context.getInputData().length;
  const isCanceled = () => context.getExecutionCancelSignal()?.aborted === true;

  const asNodeError = (error: unknown, itemIndex: number): NodeError => {
    const hasDeduplicationKey = run.hasDeduplicationKey(itemIndex);
    const words = { ...wordsFor(name, endsRetriableRun(context)), hasDeduplicationKey };
    const reason = isCanceled() ? new TransportError('It was canceled.', { code: 'aborted' }) : error;
    return toNodeError(context.getNode(), reason, itemIndex, words);
  };
  const stop = (nodeError: NodeError, fact = ''): never => {
    if (fact !== '') nodeError.description = `${sentence(nodeError.description ?? '')} ${fact}`.trim();
    throw run.isAgentRun ? withAdviceInMessage(nodeError) : nodeError;
  };

  const { works, invalid } = await checkItems(run, execute);
  const [first] = invalid;
  if (first !== undefined && !context.continueOnFail()) {
    const [itemIndex, error] = first;
    stop(asNodeError(error, itemIndex), checkedWords(items, [...invalid.keys()]));
  }

  const done: number[] = [];
  const counts = new Map<string, number>();
  let failed = 0;
  const results = await mapInOrder(items, CONCURRENCY, async (itemIndex) => {
    try {
      const work = works[itemIndex];
      if (work === undefined) throw invalid.get(itemIndex) as Error;
      outage.throwIfDown();
      const outputs = await work();
      outage.note();
      for (const output of outputs) output.pairedItem ??= { item: itemIndex };
      done.push(itemIndex);
      const outcome = outcomeOf(name, outputs);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      return outputs;
    } catch (error) {
      outage.note(error);
      failed += 1;
      const nodeError = asNodeError(error, itemIndex);
      if (!context.continueOnFail() || isCanceled()) throw nodeError;
      return [errorItem(nodeError, itemIndex)];
    }
  }).catch((error: unknown) => {
    const isTold = endsRun(context) && !isCanceled() && done.length > 0;
    const isKeyed = !counts.has('created') || done.every((itemIndex) => run.hasDeduplicationKey(itemIndex));
    const nodeError = error as NodeError;
    const itemIndex = nodeError.context['itemIndex'] as number;
    const isRetriable = endsRetriableRun(context);
    const progress = { items, itemIndex, done: done.length, failed, isKeyed, isRetriable };
    return stop(nodeError, isTold ? progressWords(name, nodeError.cause, progress) : '');
  });
  sumUp(context, { items, counts, failed, notSent: outage.notSent(), ...run });
  return results.flat();
}

/** The work of each valid item, and why the others are invalid. */
async function checkItems(run: Run, execute: Operation) {
  const works: (ReturnType<Operation> | undefined)[] = [];
  const invalid = new Map<number, Error>();
  for (let itemIndex = 0; itemIndex < run.context.getInputData().length; itemIndex++) {
    if (itemIndex % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await sleep(0);
    try {
      works[itemIndex] = execute(run, itemIndex);
    } catch (error) {
      invalid.set(itemIndex, error as Error);
    }
  }
  for (const [itemIndex, error] of conflictingRows(run.upsertRows, (index) => `item ${index}`)) {
    invalid.set(itemIndex, error);
    works[itemIndex] = undefined;
  }
  return { works, invalid };
}
