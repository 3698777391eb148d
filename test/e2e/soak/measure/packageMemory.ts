import { basename } from 'node:path';
import type { HeapGraph } from './HeapGraph.ts';

/** Number of objects and their total size. */
export interface HeapSize {
  objects: number;
  bytes: number;
}

/** Memory retained by a package's code: everything that could be collected without it. */
export interface PackageMemory {
  /** Objects, without compiled code. */
  data: HeapSize;
  /** Compiled code and the engine's metadata about it. */
  code: HeapSize;
  /** The whole heap of the process. */
  whole: HeapSize;
  /** The data by holder: a variable, a class instance or a function, with its file. */
  byHolder: Record<string, HeapSize>;
  /** Number of keys in the maps and sets of the deduplicator class. */
  keys: number;
}

/** Compiled code and object shapes, which come and go as code runs. */
const CODE_TYPES = new Set(['code', 'object shape']);
const STRINGS = new Set(['string', 'concatenated string', 'sliced string']);

/**
 * Weighs what is reachable only through the scripts: their functions, variables, class instances and exports.
 * @param scripts paths by script id
 * @param deduplicatorClass name of the class whose keys are counted
 */
export function weigh(
  graph: HeapGraph,
  scripts: ReadonlyMap<number, string>,
  deduplicatorClass: string,
): PackageMemory {
  const holders = packageNodes(graph, scripts);
  const marks = new Uint8Array(graph.count);
  for (const node of holders.keys()) marks[node] = 1;
  const all = graph.reachable();
  const others = graph.reachable(marks);
  const isHeld = (node: number) => all[node] === 1 && others[node] === 0;

  const memory: PackageMemory = { data: none(), code: none(), whole: none(), byHolder: {}, keys: 0 };
  for (let node = 0; node < graph.count; node++) if (all[node] === 1) add(memory.whole, graph.sizeOf(node));
  for (const [node, holder] of attribute(graph, holders, isHeld)) {
    const size = graph.sizeOf(node);
    if (CODE_TYPES.has(graph.typeOf(node))) {
      add(memory.code, size);
      continue;
    }
    add(memory.data, size);
    add((memory.byHolder[holder] ??= none()), size);
    if (holder.startsWith(`${deduplicatorClass} `)) memory.keys += keysIn(graph, node);
  }
  return memory;
}

/** The package's own objects with a name for each. Exports come first, as their names are the most specific. */
function packageNodes(graph: HeapGraph, scripts: ReadonlyMap<number, string>): Map<number, string> {
  const own = new Map<number, string>();
  const files = new Set(scripts.values());
  for (let node = 0; node < graph.count; node++) {
    if (graph.nameOf(node) !== 'Module' || graph.typeOf(node) !== 'object') continue;
    const fields = new Map([...graph.edgesOf(node)].map(({ name, to }) => [name, to]));
    const file = graph.nameOf(fields.get('filename') ?? 0);
    if (files.has(file)) own.set(fields.get('exports')!, `exports of ${basename(file)}`);
  }
  for (const { node, scriptId } of graph.located(new Set(scripts.keys()))) {
    const name = graph.nameOf(node) || 'a function';
    const brackets = graph.typeOf(node) === 'closure' ? '()' : '';
    own.set(node, `${name}${brackets} in ${basename(scripts.get(scriptId)!)}`);
  }
  return own;
}

/** Each retained object with the name of its nearest holder. */
function attribute(
  graph: HeapGraph,
  own: ReadonlyMap<number, string>,
  isHeld: (node: number) => boolean,
): Map<number, string> {
  const holders = new Map([...own].filter(([node]) => isHeld(node)));
  // Iterating a Map includes entries that are added meanwhile, so this ends when nothing new is found.
  for (const [node, holder] of holders)
    for (const { type, name, to } of graph.edgesOf(node)) {
      if (holders.has(to) || !isHeld(to)) continue;
      const file = holder.slice(holder.lastIndexOf(' ') + 1);
      const isVariable = type === 'context' && !CODE_TYPES.has(graph.typeOf(to));
      holders.set(to, isVariable ? `${name} in ${file}` : holder);
    }
  return holders;
}

/** Number of string keys in a Map or Set; 0 for other objects. */
function keysIn(graph: HeapGraph, node: number): number {
  const name = graph.nameOf(node);
  if (graph.typeOf(node) !== 'object' || (name !== 'Map' && name !== 'Set')) return 0;
  let keys = 0;
  for (const table of graph.edgesOf(node)) {
    if (table.name !== 'table') continue;
    for (const { to } of graph.edgesOf(table.to)) if (STRINGS.has(graph.typeOf(to))) keys++;
  }
  return keys;
}

const none = (): HeapSize => ({ objects: 0, bytes: 0 });

function add(size: HeapSize, bytes: number): void {
  size.objects++;
  size.bytes += bytes;
}
