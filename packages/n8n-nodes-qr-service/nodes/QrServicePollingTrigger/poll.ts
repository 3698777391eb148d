import type { IDataObject, INodeExecutionData, IPollFunctions, Workflow } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { createClientFor, readCredential } from '../shared/transport/createClient.ts';
import { accountOf, digest, isOtherWorkspace, readWorkspace, type StoredAccount } from './account.ts';
import {
  isFirstPoll,
  isWanted,
  pollList,
  type BatchLimits,
  type PollResult,
  type StoredPoll,
} from './batch.ts';
import { recentRows } from './newest.ts';
import { SOURCES, type Watch } from './rows.ts';
import { readSettings } from './settings.ts';

/** Most new rows for one execution, and most rows that one poll reads. */
const LIMITS: BatchLimits = { newRows: 1000, rowsRead: 10_000 };

/** The assumed budget of a poll if n8n doesn't set one: its older scheduler waits without a limit. */
const DEFAULT_BUDGET_MS = 5 * 60_000;

/** The part of n8n's budget that a poll uses: n8n must also receive the rows within the budget. */
const BUDGET_SHARE = 0.7;

/** Maximum duration of a poll, except for a first one, even if n8n's budget is longer. */
const MAX_POLL_MS = 45_000;

/** What happens next when a poll runs out of time. */
const REMEDIES = {
  test: 'Fetch the test event again. If it keeps happening, check that the service is up.',
  poll: 'The next poll resumes where this one stopped.',
  firstPoll:
    'The first poll saves nothing until it has read everything it needs, so the next one starts over. Give polls more time in n8n (N8N_SCHEDULER_POLL_TIMEOUT), or turn off Only New.',
  stuck:
    'The pagination cursor of the previous poll expired, so this poll started over and ran out of time before it found anything new. Poll more often, or give polls more time in n8n (N8N_SCHEDULER_POLL_TIMEOUT).',
};

/** What a trigger stores, by what it watches. */
type StoredByWatch = Partial<Record<Watch, (IDataObject & StoredPoll) | undefined>>;

/** Triggers with a poll under way: n8n starts the next one even if a poll takes longer than the interval. */
const running = new Map<string, Promise<PollResult | undefined>>();

/**
 * Progress of triggers that n8n may not have saved: n8n's durable scheduler may reload static data for each
 * poll, and only saves it together with rows.
 */
const unsaved = new Map<string, { savedDigest: string; stored: StoredPoll }>();

/**
 * One poll: the rows that are new since the last one, or null. It ends within n8n's time limit, with
 * what was read by then.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const { watch, filter } = readSettings(context);
  const credential = await readCredential(context);
  // From here until this poll is in `running`, nothing may be awaited: a poll that ends meanwhile stores its progress.
  const storedByWatch = storedData(context, watch);
  const { key, baseUrl } = accountOf(credential);
  const triggerKey = digest([context.getWorkflow().id, context.getNode().id, watch, key]);
  const savedDigest = digest(storedByWatch[watch]);
  let stored = latest(triggerKey, savedDigest) ?? storedByWatch[watch];
  let isFirst = isFirstPoll(stored, filter);
  let remedy = isFirst ? REMEDIES.firstPoll : REMEDIES.poll;
  const timeMs = pollTime(context, isFirst || stored?.account?.key !== key);
  const signal = AbortSignal.timeout(timeMs);
  const client = createClientFor(context, credential);
  const read = SOURCES[watch](client, signal);
  try {
    if (context.getMode() === 'manual') {
      remedy = REMEDIES.test;
      return toOutput(context, await recentRows(read, (row) => isWanted(row, filter), signal));
    }

    for (let other = running.get(triggerKey); other !== undefined; other = running.get(triggerKey)) {
      const result = await untilAborted(other).catch((error: unknown) => {
        if (isFirst) throw error;
        return undefined;
      });
      if (!isFirst) {
        // An overlapping poll emits nothing. If the workflow was published again meanwhile, it may not know what
        // the other found.
        if (result !== undefined) unsaved.set(triggerKey, { savedDigest, stored: result.stored });
        return null;
      }
      // Published again, the workflow has no mark yet: changes from here on must not be lost.
      if (result === undefined || result.rows.length > 0 || isFirstPoll(result.stored, filter)) continue;
      return await finish(result);
    }
    const polling = readRows();
    running.set(
      triggerKey,
      polling.catch(() => undefined),
    );
    const result = await polling.finally(() => running.delete(triggerKey));
    return await finish(result);
  } catch (error) {
    throw signal.aborted ? timedOut(context, timeMs, remedy) : error;
  }

  async function readRows(): Promise<PollResult> {
    const account = await checkAccount();
    const result = await pollList(read, stored, filter, LIMITS);
    // A first poll requests its account only after it has a mark: changes from then on must not be lost.
    result.stored.account = account ?? (await currentAccount().catch(() => undefined));
    if (result.rows.length === 0 && storedByWatch[watch] !== undefined)
      unsaved.set(triggerKey, { savedDigest, stored: result.stored });
    return result;
  }

  /**
   * The owner of the rows; undefined if nothing is known yet. If the credential now belongs to another workspace,
   * polling starts over, as that workspace's rows are old.
   */
  async function checkAccount(): Promise<StoredAccount | undefined> {
    const former = stored?.account;
    if (former === undefined || former.key === key) return former;
    const account = await currentAccount();
    if (isOtherWorkspace(former, account)) {
      context.logger.warn(
        "The credential now belongs to another workspace, so the polling trigger starts over. QR codes and scans that already exist there don't start the workflow.",
      );
      stored = undefined;
      isFirst = true;
      remedy = REMEDIES.firstPoll;
    }
    return account;
  }

  async function currentAccount(): Promise<StoredAccount> {
    return { key, baseUrl, workspace: await readWorkspace(client, signal) };
  }

  function untilAborted<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(timedOut(context, timeMs, remedy)), { once: true });
      promise.then(resolve, reject);
    });
  }

  /**
   * Stores a poll's progress and returns its rows. n8n keeps this in memory even if an error follows, and
   * saves it with the rows of an execution. So what a restart loses has emitted no rows, and is read again.
   */
  async function finish(result: PollResult): Promise<INodeExecutionData[][] | null> {
    const { rows, pages, failure, isStuck = false } = result;
    storedByWatch[watch] = { ...result.stored, nodeId: context.getNode().id };
    // With durable cursors, n8n drops what a poll without rows stored during an activation: the next one would
    // start over.
    if (isFirst) await context.__commitCursor?.();
    // The next poll reads the failed page first; if it fails again, there are no rows to emit before the error.
    const isOutOfTime = signal.aborted && pages > 0 && !isStuck;
    if (isStuck) remedy = REMEDIES.stuck;
    if (failure !== undefined && rows.length === 0 && !isOutOfTime) throw failure as Error;
    return toOutput(context, rows);
  }
}

/**
 * What the trigger has stored. n8n keeps it under the node's name, so triggers exchange it when their names have changed.
 * n8n's contexts contain the workflow, though their public type does not.
 */
function storedData(context: IPollFunctions, watch: Watch): StoredByWatch {
  const own = context.getWorkflowStaticData('node') as StoredByWatch;
  const { workflow } = context as { workflow?: Partial<Pick<Workflow, 'staticData'>> };
  // With durable cursors, its own is elsewhere, and what the workflow has is older.
  const all = [own, ...Object.values(workflow?.staticData ?? {})] as (StoredByWatch | undefined)[];
  const former = all.find((stored) => stored?.[watch]?.nodeId === context.getNode().id);
  if (former !== undefined && former !== own) [own[watch], former[watch]] = [former[watch], own[watch]];
  return own;
}

/** A trigger's progress since the state that n8n saved, if any. */
function latest(triggerKey: string, savedDigest: string): StoredPoll | undefined {
  const later = unsaved.get(triggerKey);
  return later?.savedDigest === savedDigest ? later.stored : undefined;
}

/**
 * Milliseconds that a poll may take. n8n's durable scheduler abandons a poll that exceeds its budget and discards its
 * rows. A first poll, which may have to read the IDs of all records, gets more time.
 */
function pollTime(context: IPollFunctions, isFirst: boolean): number {
  // Available since n8n 2.38.
  const given = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
  const share = Math.round(given * BUDGET_SHARE);
  const budget = share > 0 ? share : DEFAULT_BUDGET_MS * BUDGET_SHARE;
  return isFirst && context.getMode() !== 'manual' ? budget : Math.min(budget, MAX_POLL_MS);
}

function timedOut(context: IPollFunctions, ms: number, remedy: string): NodeOperationError {
  const seconds = Math.round(ms / 1000);
  return new NodeOperationError(
    context.getNode(),
    `The service took longer than ${seconds} s to respond, the limit for a poll.`,
    { description: remedy, failure: { cause: 'temporarily-unavailable' } },
  );
}

function toOutput(context: IPollFunctions, rows: Record<string, unknown>[]): INodeExecutionData[][] | null {
  return rows.length === 0 ? null : [context.helpers.returnJsonArray(rows as IDataObject[])];
}
