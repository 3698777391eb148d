import { setTimeout as sleep } from 'node:timers/promises';
import type { DevTools } from '../../support/process/devTools.ts';
import { scriptsOf, weighHeap } from './heap.ts';
import { countOpenResources, type OpenResources } from './openResources.ts';
import type { PackageMemory } from './packageMemory.ts';
import { staticDataSizes } from './staticData.ts';

/** Polls start every five seconds. Two seconds after the start, a poll is over and the next one is not yet near. */
const POLL_MS = 5000;
const AFTER_POLL_MS = 2000;

/** The server to measure. */
export interface Subject {
  devTools: DevTools;
  /** Package whose memory is weighed. */
  packageName: string;
  /** Name of the class that remembers deliveries. */
  deduplicatorClass: string;
  servicePort: number;
  /** Path of n8n's database. */
  database: string;
}

/** One measurement. */
export interface Measurement {
  memory: PackageMemory;
  openResources: OpenResources;
  /** Size in bytes, by workflow. */
  staticData: Record<string, number>;
}

/** Measures an idle server between two polls. */
export async function measure(subject: Subject): Promise<Measurement> {
  const { devTools, packageName, deduplicatorClass, servicePort, database } = subject;
  const scripts = await scriptsOf(devTools, packageName);
  await devTools.send('HeapProfiler.collectGarbage');
  await betweenPolls();
  const openResources = await countOpenResources(devTools, servicePort);
  const memory = await weighHeap(devTools, scripts, deduplicatorClass);
  return { memory, openResources, staticData: staticDataSizes(database) };
}

async function betweenPolls(): Promise<void> {
  await sleep((POLL_MS + AFTER_POLL_MS - (Date.now() % POLL_MS)) % POLL_MS);
}
