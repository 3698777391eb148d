import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { TransportError } from '../../core.ts';
import { createClient } from '../shared/createClient.ts';
import { CREDENTIAL_NAME, readCredential } from '../shared/credentials.ts';
import { pollTime } from './pollTime.ts';
import { isFirst, isWanted, pollChanges, type Kept, type Outcome } from './pollChanges.ts';
import type { BatchSize } from './readBatch.ts';
import { recentRows } from './recentRows.ts';
import { readSettings } from './settings.ts';
import { SOURCES, type Watch } from './sources.ts';

/** The most that one execution is to work on, and the most that one poll is to spend on what is known already. */
const BATCH: BatchSize = { fresh: 1000, read: 10_000 };

/** Triggers with a poll under way: n8n begins the next one even when it takes longer than the interval. */
const underWay = new Map<string, Promise<Outcome | undefined>>();

/**
 * How far a trigger came without finding rows since what n8n holds of it: n8n's durable scheduler may read that
 * anew for each poll, and saves it with rows alone.
 */
const unsaved = new Map<string, { since: string; kept: Kept }>();

/** One tick: what is new since the last one, or null. It ends within n8n's time for it, with what was read until then. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const { watch, wanted } = readSettings(context);
  const keptByWatch = context.getWorkflowStaticData('node') as Partial<Record<Watch, IDataObject & Kept>>;
  const isFirstPoll = isFirst(keptByWatch[watch], wanted);
  const timeMs = pollTime(context, isFirstPoll);
  const signal = AbortSignal.timeout(timeMs);
  const read = SOURCES[watch](await createClient(context), signal);
  try {
    if (context.getMode() === 'manual')
      return toOutput(context, await recentRows(read, (sighting) => isWanted(sighting, wanted)));

    const place = await placeOf(context, watch);
    for (let other = underWay.get(place); other !== undefined; other = underWay.get(place)) {
      // A tick that overlaps another one finds nothing.
      if (!isFirstPoll) return null;
      // Published again, the workflow has no mark yet: what happens from here on is not to be lost.
      const outcome = await orAborted(other, signal);
      if (outcome === undefined || outcome.rows.length > 0 || isFirst(outcome.kept, wanted)) continue;
      return await keep(outcome);
    }
    const polling = pollOnce(place, keptByWatch[watch]);
    underWay.set(
      place,
      polling.catch(() => undefined),
    );
    const outcome = await polling.finally(() => underWay.delete(place));
    return await keep(outcome);
  } catch (error) {
    throw signal.aborted ? outOfTime(timeMs) : error;
  }

  async function pollOnce(place: string, kept: Kept | undefined): Promise<Outcome> {
    const since = digest(kept);
    const later = unsaved.get(place);
    const outcome = await pollChanges(read, later?.since === since ? later.kept : kept, wanted, BATCH);
    if (outcome.rows.length > 0 || kept === undefined) unsaved.delete(place);
    else unsaved.set(place, { since, kept: outcome.kept });
    return outcome;
  }

  /**
   * Keeps how far a poll came, and gives its rows. n8n keeps this in memory even when an error follows, and saves
   * it with the rows of an execution. What is thrown away with a restart has therefore brought no rows, and is read again.
   */
  async function keep({ kept, rows, pages, failure }: Outcome): Promise<INodeExecutionData[][] | null> {
    keptByWatch[watch] = { ...kept };
    // With durable cursors, n8n drops what a poll without rows kept during an activation: the next one would begin anew.
    if (isFirstPoll) await context.__commitCursor?.();
    // The failed page comes first at the next tick; should it fail again, there is nothing to emit before it.
    const isOutOfTime = signal.aborted && pages > 0;
    if (failure !== undefined && rows.length === 0 && !isOutOfTime) throw failure as Error;
    return toOutput(context, rows);
  }
}

/** Names a trigger and the account that it watches. */
async function placeOf(context: IPollFunctions, watch: Watch): Promise<string> {
  const { baseUrl, apiKey } = readCredential(await context.getCredentials(CREDENTIAL_NAME));
  return digest([context.getWorkflow().id, context.getNode().id, watch, baseUrl, apiKey]);
}

function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url');
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(outOfTime(0)), { once: true });
    promise.then(resolve, reject);
  });
}

function outOfTime(ms: number): TransportError {
  return new TransportError(
    `The service took longer than ${Math.round(ms / 1000)} s to respond, the most that a poll may take. The next poll continues from the same place.`,
    { kind: 'timeout' },
  );
}

function toOutput(context: IPollFunctions, rows: Record<string, unknown>[]): INodeExecutionData[][] | null {
  return rows.length === 0 ? null : [context.helpers.returnJsonArray(rows as IDataObject[])];
}
