import type { Debugger, HeapProfiler } from 'node:inspector';
import type { DevTools } from '../../support/process/devTools.ts';
import { HeapGraph } from './HeapGraph.ts';
import { HeapSnapshotReader } from './HeapSnapshotReader.ts';
import { weigh, type PackageMemory } from './packageMemory.ts';

/** Paths of a package's loaded scripts, by script ID. @throws Error when none is loaded */
export async function scriptsOf(devTools: DevTools, packageName: string): Promise<Map<number, string>> {
  const scripts = new Map<number, string>();
  const off = devTools.on('Debugger.scriptParsed', (params) => {
    const { scriptId, url } = params as Debugger.ScriptParsedEventDataType;
    const path = url.replace(/^file:\/\//, '');
    if (path.includes(`/${packageName}/`)) scripts.set(Number(scriptId), path);
  });
  await devTools.send('Debugger.enable');
  await devTools.send('Debugger.disable');
  off();
  if (scripts.size === 0) throw new Error(`No script of ${packageName} is loaded.`);
  return scripts;
}

/** Takes a heap snapshot, which collects garbage first, and weighs what the scripts hold. */
export async function weighHeap(
  devTools: DevTools,
  scripts: ReadonlyMap<number, string>,
  deduplicatorClass: string,
): Promise<PackageMemory> {
  const reader = new HeapSnapshotReader();
  const off = devTools.on('HeapProfiler.addHeapSnapshotChunk', (params) => {
    reader.write((params as HeapProfiler.AddHeapSnapshotChunkEventDataType).chunk);
  });
  await devTools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  off();
  return weigh(new HeapGraph(reader.end()), scripts, deduplicatorClass);
}
