import { setTimeout as sleep } from 'node:timers/promises';
import type { DevTools } from '../../support/process/devTools.ts';
import { countOpenResources, type OpenResources } from './openResources.ts';
import { staticDataSizes } from './staticData.ts';

/** Polls start every five seconds. Two seconds after the start, a poll is over and the next one is not yet near. */
const POLL_MS = 5000;
const AFTER_POLL_MS = 2000;

/** The server to measure. */
export interface Subject {
  devTools: DevTools;
  servicePort: number;
  /** Path of n8n's database. */
  database: string;
}

/** One measurement. */
export interface Measurement {
  /** Used heap of the whole process after garbage collection, in bytes. */
  heap: number;
  openResources: OpenResources;
  /** Size in bytes, by workflow. */
  staticData: Record<string, number>;
}

/** Measures an idle server between two polls. */
export async function measure({ devTools, servicePort, database }: Subject): Promise<Measurement> {
  await betweenPolls();
  const openResources = await countOpenResources(devTools, servicePort);
  // The first collection runs finalizers. The second one collects what they free.
  for (let time = 0; time < 2; time++) await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send<{ usedSize: number }>('Runtime.getHeapUsage');
  return { heap: usedSize, openResources, staticData: staticDataSizes(database) };
}

async function betweenPolls(): Promise<void> {
  await sleep((POLL_MS + AFTER_POLL_MS - (Date.now() % POLL_MS)) % POLL_MS);
}
