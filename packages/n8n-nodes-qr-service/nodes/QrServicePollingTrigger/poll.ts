import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { QrServiceClient } from '../../core.ts';
import { createClient } from '../shared/createClient.ts';
import { n8nTransport } from '../shared/transport/index.ts';
import { markAt, readFrom, takeNew, type Mark, type Sighting } from './pollChanges.ts';
import { serviceClock, type ServiceClock } from './serviceClock.ts';
import { SOURCES, type Source, type Watch } from './sources.ts';

/** How long before the service's time the first mark is set: its clocks may differ by as much. */
const FIRST_OVERLAP_MS = 60_000;

/** Rows shown by a manual run, and how far back it looks for them. */
const RECENT_ROWS = 10;
const RECENT_MS = 7 * 24 * 60 * 60 * 1000;

/** Workflows and nodes with a tick under way: n8n begins the next one even when it takes longer than the interval. */
const underWay = new Set<string>();

/** One tick: what is new since the last one, or null. A tick that overlaps another one finds nothing. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const place = `${context.getMode()}/${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
  if (underWay.has(place)) return null;
  underWay.add(place);
  try {
    return await pollOnce(context);
  } finally {
    underWay.delete(place);
  }
}

async function pollOnce(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const watch = context.getNodeParameter('watch') as Watch;
  const source = SOURCES[watch] as unknown as Source;
  const clock = serviceClock(n8nTransport(context));
  const client = await createClient(context, clock.transport);
  if (context.getMode() === 'manual') return toOutput(context, await recentRows(source, client, clock));

  const marks = context.getWorkflowStaticData('node') as Partial<Record<Watch, IDataObject & Mark>>;
  const mark = marks[watch];
  if (mark === undefined) {
    marks[watch] = { ...(await firstMark(source, client, clock)) };
    return null;
  }
  const { fresh, next } = takeNew(await readAll(source, client, readFrom(mark)), mark);
  // Last, because n8n keeps a change made before a failure.
  marks[watch] = { ...next };
  return toOutput(context, fresh);
}

/**
 * Where watching begins. A walk through everything would find the highest time, but a workspace may hold
 * years of scans: instead the service's own time is taken from an answer's Date header, and the rows of the
 * minute before it count as seen. A service without that header is walked.
 */
async function firstMark(source: Source, client: QrServiceClient, clock: ServiceClock): Promise<Mark> {
  const now = await serviceTime(client, clock);
  if (now === undefined) return takeNew(await readAll(source, client, undefined), markAt(new Date(0))).next;
  const mark = markAt(new Date(now.getTime() - FIRST_OVERLAP_MS));
  return takeNew(await readAll(source, client, readFrom(mark)), mark).next;
}

async function recentRows(source: Source, client: QrServiceClient, clock: ServiceClock): Promise<object[]> {
  const now = await serviceTime(client, clock);
  const since = now === undefined ? undefined : new Date(now.getTime() - RECENT_MS).toISOString();
  const recent = await firstPage(source, client, since);
  const rows = recent.length > 0 || since === undefined ? recent : await firstPage(source, client, undefined);
  return rows
    .sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))
    .slice(0, RECENT_ROWS)
    .map(({ row }) => row);
}

async function serviceTime(client: QrServiceClient, clock: ServiceClock): Promise<Date | undefined> {
  await client.me();
  return clock.now();
}

async function readAll(
  source: Source,
  client: QrServiceClient,
  since: string | undefined,
): Promise<Sighting<object>[]> {
  const sightings: Sighting<object>[] = [];
  for await (const row of source.walk(client, since)) sightings.push(source.sight(row));
  return sightings;
}

async function firstPage(
  source: Source,
  client: QrServiceClient,
  since: string | undefined,
): Promise<Sighting<object>[]> {
  for await (const page of source.walk(client, since).pages())
    return page.rows.map((row) => source.sight(row));
  return [];
}

function toOutput(context: IPollFunctions, rows: object[]): INodeExecutionData[][] | null {
  return rows.length === 0 ? null : [context.helpers.returnJsonArray(rows as IDataObject[])];
}
