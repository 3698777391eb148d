import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { TransportError } from '../../core.ts';
import { createClient } from '../shared/createClient.ts';
import { CREDENTIAL_NAME, readCredential } from '../shared/credentials.ts';
import { accountOf, isOther, readWorkspace, type KeptAccount } from './account.ts';
import { digest } from './digest.ts';
import { pollTime } from './pollTime.ts';
import { isFirst, isWanted, pollChanges, type Kept, type Outcome } from './pollChanges.ts';
import type { BatchSize } from './batch.ts';
import { recentRows } from './recentRows.ts';
import { readSettings } from './settings.ts';
import { SOURCES, type Watch } from './rows.ts';

/** The most that one execution is to work on, and the most that one poll is to spend on what is known already. */
const BATCH: BatchSize = { fresh: 1000, read: 10_000 };

/** What follows when a poll's time is up. */
const REMEDIES = {
  poll: 'The next poll continues from the same place.',
  firstPoll:
    'A first poll keeps nothing until it has read everything that it needs, so the next one starts over. Give polls more time in n8n, or turn off Only New.',
  stuck:
    'It had to start over, as the pagination cursor of the poll before has expired, and found nothing new in its time. Poll more often, or give polls more time in n8n.',
};

/** What a poll begins with. */
interface Start {
  /** Digest of what n8n holds. */
  since: string;
  kept: Kept | undefined;
}

/** Triggers with a poll under way: n8n begins the next one even when it takes longer than the interval. */
const underWay = new Map<string, { since: string; polling: Promise<Outcome | undefined> }>();

/**
 * How far a trigger came since what n8n holds of it, where that may not have been saved: n8n's durable scheduler may
 * read it anew for each poll, and saves it with rows alone.
 */
const unsaved = new Map<string, { since: string; kept: Kept }>();

/** One tick: what is new since the last one, or null. It ends within n8n's time for it, with what was read until then. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const { watch, wanted } = readSettings(context);
  const keptByWatch = context.getWorkflowStaticData('node') as Partial<Record<Watch, IDataObject & Kept>>;
  const credential = readCredential(await context.getCredentials(CREDENTIAL_NAME));
  const place = digest([
    context.getWorkflow().id,
    context.getNode().id,
    watch,
    credential.baseUrl,
    credential.apiKey,
  ]);
  const start = startOf(place, keptByWatch[watch]);
  const { key, baseUrl } = accountOf(credential);
  let isFirstPoll = isFirst(start.kept, wanted);
  let remedy = isFirstPoll ? REMEDIES.firstPoll : REMEDIES.poll;
  const timeMs = pollTime(context, isFirstPoll || start.kept?.account?.key !== key);
  const signal = AbortSignal.timeout(timeMs);
  const client = await createClient(context);
  const read = SOURCES[watch](client, signal);
  try {
    if (context.getMode() === 'manual')
      return toOutput(context, await recentRows(read, (sighting) => isWanted(sighting, wanted)));

    for (let other = underWay.get(place); other !== undefined; other = underWay.get(place)) {
      const outcome = await orAborted(other.polling, signal).catch((error: unknown) => {
        if (isFirstPoll) throw error;
        return undefined;
      });
      if (!isFirstPoll) {
        // A tick that overlaps another one finds nothing. Published again, the workflow may not know yet what that one gave.
        if (outcome !== undefined && other.since === start.since)
          unsaved.set(place, { since: start.since, kept: outcome.kept });
        return null;
      }
      // Published again, the workflow has no mark yet: what happens from here on is not to be lost.
      if (outcome === undefined || outcome.rows.length > 0 || isFirst(outcome.kept, wanted)) continue;
      return await keep(outcome);
    }
    const polling = pollOnce();
    underWay.set(place, { since: start.since, polling: polling.catch(() => undefined) });
    const outcome = await polling.finally(() => underWay.delete(place));
    return await keep(outcome);
  } catch (error) {
    throw signal.aborted ? outOfTime(timeMs, remedy) : error;
  }

  async function pollOnce(): Promise<Outcome> {
    const account = await readAccount(start.kept);
    const outcome = await pollChanges(read, start.kept, wanted, BATCH);
    // The mark of a first poll comes first: what happens from then on is not to be lost.
    outcome.kept.account = account ?? (await withWorkspace().catch(() => undefined));
    if (outcome.rows.length > 0 || keptByWatch[watch] === undefined) unsaved.delete(place);
    else unsaved.set(place, { since: start.since, kept: outcome.kept });
    return outcome;
  }

  /**
   * Whose rows these are; undefined where nothing is known of them yet. A credential that was edited to another workspace
   * begins anew: that workspace's rows are old.
   */
  async function readAccount(kept: Kept | undefined): Promise<KeptAccount | undefined> {
    const former = kept?.account;
    if (former === undefined || former.key === key) return former;
    const account = await withWorkspace();
    if (isOther(former, account)) {
      context.logger.warn(
        'The credential now opens another workspace, so the polling trigger starts over: what is there now counts as old.',
      );
      start.kept = undefined;
      isFirstPoll = true;
      remedy = REMEDIES.firstPoll;
    }
    return account;
  }

  async function withWorkspace(): Promise<KeptAccount> {
    return { key, baseUrl, workspace: await readWorkspace(client, signal) };
  }

  /**
   * Keeps how far a poll came, and gives its rows. n8n keeps this in memory even when an error follows, and saves
   * it with the rows of an execution. What is thrown away with a restart has therefore brought no rows, and is read again.
   */
  async function keep({
    kept,
    rows,
    pages,
    failure,
    isStuck = false,
  }: Outcome): Promise<INodeExecutionData[][] | null> {
    keptByWatch[watch] = { ...kept };
    // With durable cursors, n8n drops what a poll without rows kept during an activation: the next one would begin anew.
    if (isFirstPoll) await context.__commitCursor?.();
    // The failed page comes first at the next tick; should it fail again, there is nothing to emit before it.
    const isOutOfTime = signal.aborted && pages > 0 && !isStuck;
    if (isStuck) remedy = REMEDIES.stuck;
    if (failure !== undefined && rows.length === 0 && !isOutOfTime) throw failure as Error;
    return toOutput(context, rows);
  }
}

/** With what a poll begins: what n8n holds, or what came of it since. */
function startOf(place: string, held: Kept | undefined): Start {
  const since = digest(held);
  const later = unsaved.get(place);
  return { since, kept: later?.since === since ? later.kept : held };
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(outOfTime(0, REMEDIES.poll)), { once: true });
    promise.then(resolve, reject);
  });
}

function outOfTime(ms: number, remedy: string): TransportError {
  return new TransportError(
    `The service took longer than ${Math.round(ms / 1000)} s to respond, the most that a poll may take. ${remedy}`,
    { kind: 'timeout' },
  );
}

function toOutput(context: IPollFunctions, rows: Record<string, unknown>[]): INodeExecutionData[][] | null {
  return rows.length === 0 ? null : [context.helpers.returnJsonArray(rows as IDataObject[])];
}
