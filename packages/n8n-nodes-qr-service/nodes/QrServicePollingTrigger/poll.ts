import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { QrServiceClient } from '../../core.ts';
import { createClient } from '../shared/createClient.ts';
import { findNewest } from './findNewest.ts';
import { markAt, readFrom, takeNew, type Mark, type Sighting } from './pollChanges.ts';
import { SOURCES, type Source, type Watch } from './sources.ts';

/** Rows shown by a manual run, and how far before the newest row it looks for them. */
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
  const client = await createClient(context);
  if (context.getMode() === 'manual') return toOutput(context, await recentRows(source, client));

  const marks = context.getWorkflowStaticData('node') as Partial<Record<Watch, IDataObject & Mark>>;
  const mark = marks[watch];
  if (mark === undefined) {
    marks[watch] = { ...(await firstMark(source, client)) };
    return null;
  }
  const { fresh, next } = takeNew(await readAll(source, client, readFrom(mark)), mark);
  // Last, because n8n keeps a change made before a failure.
  marks[watch] = { ...next };
  return toOutput(context, fresh);
}

/** Where watching begins: at the newest row. What is near it counts as seen. */
async function firstMark(source: Source, client: QrServiceClient): Promise<Mark> {
  const newest = await findNewest((since) => firstPage(source, client, since));
  const mark = markAt(newest ?? new Date(0));
  return takeNew(await readAll(source, client, newest && readFrom(mark)), mark).next;
}

async function recentRows(source: Source, client: QrServiceClient): Promise<object[]> {
  const newest = await findNewest((since) => firstPage(source, client, since));
  const since = newest && new Date(newest.getTime() - RECENT_MS).toISOString();
  return (await firstPage(source, client, since))
    .sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))
    .slice(0, RECENT_ROWS)
    .map(({ row }) => row);
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
