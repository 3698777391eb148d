import type { HeapSnapshot } from './HeapSnapshotReader.ts';

/** Roots of ongoing work, such as compilation. Objects held only by these can be collected soon after. */
const TRANSIENT_ROOTS = new Set(['(Handle scope)', '(Stack roots)']);

/** A reference from one object to another. */
export interface Edge {
  type: string;
  /** Name of a variable or property, or index of an element. */
  name: string;
  /** The object that is referred to. */
  to: number;
}

type NodeField = 'type' | 'name' | 'self_size' | 'edge_count';

/** The objects of a heap snapshot and their references. Objects are numbered; 0 is the root. */
export class HeapGraph {
  readonly count: number;
  readonly #snapshot: HeapSnapshot;
  readonly #nodeSize: number;
  readonly #edgeSize: number;
  readonly #weak: number;
  /** Index of each object's first edge in `edges`, followed by the end of the last one's edges. */
  readonly #firstEdge: Uint32Array;
  readonly #field: Record<NodeField, number>;

  constructor(snapshot: HeapSnapshot) {
    this.#snapshot = snapshot;
    const { nodes, nodeFields, edgeFields, edgeTypes } = snapshot;
    this.#nodeSize = nodeFields.length;
    this.#edgeSize = edgeFields.length;
    this.#weak = edgeTypes.indexOf('weak');
    const place = (name: string) => nodeFields.indexOf(name);
    this.#field = {
      type: place('type'),
      name: place('name'),
      self_size: place('self_size'),
      edge_count: place('edge_count'),
    };
    this.count = nodes.length / this.#nodeSize;
    this.#firstEdge = new Uint32Array(this.count + 1);
    for (let node = 0; node < this.count; node++)
      this.#firstEdge[node + 1] = this.#firstEdge[node]! + this.#number(node, 'edge_count') * this.#edgeSize;
  }

  typeOf(node: number): string {
    return this.#snapshot.nodeTypes[this.#number(node, 'type')] ?? '';
  }

  /** Name of its class or of the function, or the content of a string. */
  nameOf(node: number): string {
    return this.#snapshot.strings[this.#number(node, 'name')] ?? '';
  }

  /** Size of the object itself, in bytes. */
  sizeOf(node: number): number {
    return this.#number(node, 'self_size');
  }

  /** Its strong references. */
  *edgesOf(node: number): Generator<Edge> {
    const { edges, edgeTypes, strings } = this.#snapshot;
    for (let edge = this.#firstEdge[node]!; edge < this.#firstEdge[node + 1]!; edge += this.#edgeSize) {
      if (edges[edge] === this.#weak) continue;
      const type = edgeTypes[edges[edge]!] ?? '';
      const isIndex = type === 'element' || type === 'hidden';
      const name = isIndex ? String(edges[edge + 1]) : (strings[edges[edge + 1]!] ?? '');
      yield { type, name, to: edges[edge + 2]! / this.#nodeSize };
    }
  }

  /** Objects located in one of the scripts: functions, generators and instances of classes. */
  *located(scriptIds: ReadonlySet<number>): Generator<{ node: number; scriptId: number }> {
    const { locations } = this.#snapshot;
    for (let index = 0; index < locations.length; index += 4) {
      const scriptId = locations[index + 1]!;
      if (scriptIds.has(scriptId)) yield { node: locations[index]! / this.#nodeSize, scriptId };
    }
  }

  /** Marks objects with 1 that are reachable from the root without going through an object marked in `without`. */
  reachable(without?: Uint8Array): Uint8Array {
    const { edges } = this.#snapshot;
    const reached = new Uint8Array(this.count);
    const next = new Uint32Array(this.count);
    let waiting = 1;
    reached[0] = 1;
    for (const root of this.#transientRoots()) reached[root] = 1;
    while (waiting > 0) {
      const node = next[--waiting]!;
      for (let edge = this.#firstEdge[node]!; edge < this.#firstEdge[node + 1]!; edge += this.#edgeSize) {
        const to = edges[edge + 2]! / this.#nodeSize;
        if (edges[edge] === this.#weak || reached[to] === 1 || without?.[to] === 1) continue;
        reached[to] = 1;
        next[waiting++] = to;
      }
    }
    return reached;
  }

  *#transientRoots(): Generator<number> {
    for (const { to } of this.edgesOf(0))
      if (this.nameOf(to) === '(GC roots)')
        for (const { to: root } of this.edgesOf(to)) if (TRANSIENT_ROOTS.has(this.nameOf(root))) yield root;
  }

  #number(node: number, field: NodeField): number {
    return this.#snapshot.nodes[node * this.#nodeSize + this.#field[field]]!;
  }
}
