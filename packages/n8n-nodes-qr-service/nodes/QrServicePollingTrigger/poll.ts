import { createHash } from 'node:crypto';
import {
  NodeOperationError,
  type IDataObject,
  type INode,
  type INodeExecutionData,
  type IPollFunctions,
  type Workflow,
} from 'n8n-workflow';
import {
  CodeFinder,
  readScannedCodes,
  readTime,
  recentRows,
  SAMPLE_ROWS,
  type PlatformClient,
} from '../../deps.ts';
import { connect } from '../platform/client.ts';
import { requireOwnWorkflow } from '../platform/errors.ts';
import { LISTS, type PolledRow, type Watch } from './lists.ts';
import { readSettings } from './settings.ts';
import { isFirstPoll, isWanted, pollRows, type StoredWalk } from './walk.ts';

/** Maximum duration of a poll, except for a first one, which may have to read all codes. */
const MAX_POLL_MS = 45_000;

/** How many pages of a list a manual run reads at most, at once. */
const MAX_TEST_PAGES = 20;

/** What to do about a poll that ran out of time. */
const REMEDIES = {
  test: 'Fetch the test event again. If it keeps happening, check that the service is up.',
  first:
    'The first poll saves nothing until it has read everything it needs, so the next one starts over. Give polls more time in n8n (N8N_SCHEDULER_POLL_TIMEOUT), or turn off Only New.',
  later: 'The next poll resumes where this one stopped.',
};

/** What a trigger stores for each list: its progress, and the ID of the node. */
type Stored = Partial<Record<Watch, (StoredWalk & { nodeId: string }) | undefined>>;

/** Triggers with a poll under way: n8n starts the next one even if a poll takes longer than the interval. */
const running = new Set<string>();

/** Each trigger's progress since n8n last saved it: its durable scheduler saves static data only with rows. */
const unsaved = new Map<string, { savedDigest: string; stored: StoredWalk }>();

/** One poll: the rows that are new since the last one, or null. It ends within n8n's time limit. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const { watch, filter, named } = readSettings(context);
  const { client } = await connect(context);
  // From here until the poll is in `running`, nothing may be awaited: one that ends meanwhile stores its progress.
  const { id: nodeId } = context.getNode();
  const key = [context.getWorkflow().id, nodeId, watch].join(' ');
  const data = storedData(context, watch);
  const savedDigest = digest(data[watch]);
  const newer = unsaved.get(key);
  const stored = newer?.savedDigest === savedDigest ? newer.stored : data[watch];
  const scheduled = isFirstPoll(stored, filter) ? 'first' : 'later';
  const kind = context.getMode() === 'manual' ? 'test' : scheduled;
  const turn = `${kind} ${key}`;
  if (kind === 'later' && running.has(turn)) return null;
  if (kind === 'first') requireOwnWorkflow(context, findInstantTrigger);
  running.add(turn);
  const timeMs = pollTime(context, kind);
  const signal = AbortSignal.timeout(timeMs);
  const read = LISTS[watch](client, signal);
  try {
    const codes = await findCodes(client, named, signal, kind === 'test' ? undefined : stored?.codes);
    filter.codeIds = codes.ids;
    if (kind === 'test') {
      const readSince = (since?: string) => read({ since: readTime(since) });
      const options = { isWanted: (row: PolledRow) => isWanted(row, filter), maxPages: MAX_TEST_PAGES };
      const { rows } = await recentRows(readSince, ({ time }) => time, options);
      return toOutput(rows.slice(0, SAMPLE_ROWS).map(({ row }) => row));
    }
    const result = await pollRows(read, stored, filter);
    // n8n keeps this in memory even if an error follows, and saves it with the rows of an execution. What a restart
    // loses has emitted no rows, so it is read again.
    const progress = { ...result.stored, codes };
    data[watch] = { ...progress, nodeId };
    if (kind === 'later' && result.rows.length === 0) unsaved.set(key, { savedDigest, stored: progress });
    // n8n 2.41 with durable cursors saves nothing of the poll during an activation: the next poll would be the first
    // one again, and take all that changed in between for old.
    if (kind === 'first') await context.__commitCursor?.();
    // With rows, the error can wait: the next poll starts with the page that failed.
    const isOutOfTime = signal.aborted && result.stored.cursor !== stored?.cursor;
    if (result.failure !== undefined && result.rows.length === 0 && !isOutOfTime)
      throw result.failure as Error;
    return toOutput(result.rows);
  } catch (error) {
    throw signal.aborted ? timedOut(context, timeMs, REMEDIES[kind]) : error;
  } finally {
    running.delete(turn);
  }
}

/** The codes of the filter. They are looked up, and must exist, when the trigger is turned on, changed or tested. */
async function findCodes(
  { qr }: PlatformClient,
  named: string,
  signal: AbortSignal,
  known = { named: '', ids: [] as string[] },
): Promise<typeof known> {
  if (named === known.named) return known;
  const names = named.split(',').filter((name) => name.trim() !== '');
  const finder = new CodeFinder(qr, { signal, lookups: names.length });
  const ids = await Promise.all(names.map((name) => finder.idOf(name)));
  await readScannedCodes(finder, ids, ids);
  return { named, ids };
}

/** What the trigger has stored. n8n keeps it under the node's name, so triggers exchange it when their names have changed. */
function storedData(context: IPollFunctions, watch: Watch): Stored {
  const own = context.getWorkflowStaticData('node') as Stored;
  const { workflow } = context as { workflow?: Partial<Pick<Workflow, 'staticData'>> };
  // With durable cursors, its own is elsewhere, and what the workflow has is older.
  const all = [own, ...Object.values(workflow?.staticData ?? {})] as Stored[];
  const former = all.find((stored) => stored[watch]?.nodeId === context.getNode().id);
  if (former !== undefined) {
    const found = former[watch];
    former[watch] = own[watch];
    own[watch] = found;
  }
  return own;
}

function findInstantTrigger({ nodes = {} }: Partial<Workflow>): INode | undefined {
  return Object.values(nodes).find((node) => node.type.endsWith('.qrServiceTrigger') && !node.disabled);
}

function digest(stored: StoredWalk | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(stored ?? null))
    .digest('base64url');
}

/** Milliseconds that a poll may take: n8n's durable scheduler abandons one that exceeds its budget. */
function pollTime(context: IPollFunctions, kind: keyof typeof REMEDIES): number {
  // Available since n8n 2.38; 0 means no limit. n8n must also receive the rows within it.
  const given = (context as Partial<IPollFunctions>).getPollBudgetMs?.() || 5 * 60_000;
  const budget = Math.round(given * 0.7);
  return kind === 'first' ? budget : Math.min(budget, MAX_POLL_MS);
}

function timedOut(context: IPollFunctions, ms: number, description: string): NodeOperationError {
  const message = `The service took longer than ${Math.round(ms / 1000)} s to respond, the limit for a poll.`;
  const failure = { cause: 'temporarily-unavailable' } as const;
  return new NodeOperationError(context.getNode(), message, { description, failure });
}

/** Not by n8n's `returnJsonArray`, which takes a row with a field named `json` for a finished item. */
function toOutput(rows: Record<string, unknown>[]): INodeExecutionData[][] | null {
  return rows.length === 0 ? null : [rows.map((row) => ({ json: row as IDataObject }))];
}
