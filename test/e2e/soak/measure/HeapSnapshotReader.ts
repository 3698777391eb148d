/** A V8 heap snapshot in V8's own flat layout: each node and each edge takes a fixed number of integers. */
export interface HeapSnapshot {
  nodes: Uint32Array;
  edges: Uint32Array;
  /** Four numbers each: index in `nodes`, script, line, column. For functions, generators and instances of classes. */
  locations: readonly number[];
  strings: readonly string[];
  /** Names of the integers of a node. */
  nodeFields: readonly string[];
  /** Names of the values of a node's field `type`. */
  nodeTypes: readonly string[];
  /** Names of the integers of an edge. */
  edgeFields: readonly string[];
  /** Names of the values of an edge's field `type`. */
  edgeTypes: readonly string[];
}

interface Header {
  snapshot: {
    meta: {
      node_fields: string[];
      node_types: [string[], ...unknown[]];
      edge_fields: string[];
      edge_types: [string[], ...unknown[]];
    };
    node_count: number;
    edge_count: number;
  };
}

const COMMA = 44;
const ZERO = 48;
const CLOSE = 93;

/**
 * Parses a snapshot chunk by chunk, as the text of a large one exceeds the maximum string length. Expects the parts in
 * the order in which V8 writes them.
 */
export class HeapSnapshotReader {
  /** Text that is not parsed yet: the part before the next array. */
  #text = '';
  #header: Header | undefined;
  #numbers: Numbers | undefined;
  #strings: string[] | undefined;
  readonly #arrays: Record<string, Numbers> = {};

  /** Parses the next chunk. */
  write(chunk: string): void {
    let start = 0;
    while (start < chunk.length) start = this.#take(chunk, start);
  }

  /** Returns the snapshot after the last chunk. @throws Error when it is incomplete */
  end(): HeapSnapshot {
    if (this.#header === undefined || this.#strings === undefined)
      throw new Error('The heap snapshot is incomplete.');
    const { meta, node_count: nodeCount, edge_count: edgeCount } = this.#header.snapshot;
    const text = `[${this.#strings.join('')}`;
    const strings = JSON.parse(text.slice(0, text.lastIndexOf('}'))) as string[];
    return {
      nodes: this.#array('nodes', nodeCount * meta.node_fields.length),
      edges: this.#array('edges', edgeCount * meta.edge_fields.length),
      locations: Array.from(this.#arrays['locations']?.values() ?? []),
      strings,
      nodeFields: meta.node_fields,
      nodeTypes: meta.node_types[0],
      edgeFields: meta.edge_fields,
      edgeTypes: meta.edge_types[0],
    };
  }

  #array(name: string, length: number): Uint32Array {
    const values = this.#arrays[name]?.values();
    if (values?.length !== length)
      throw new Error(
        `Expected ${length} numbers in the heap snapshot's ${name}, got ${values?.length ?? 0}.`,
      );
    return values;
  }

  /** Parses the next part of a chunk and returns its end. */
  #take(chunk: string, start: number): number {
    if (this.#strings !== undefined) {
      this.#strings.push(chunk.slice(start));
      return chunk.length;
    }
    if (this.#numbers !== undefined) {
      const end = this.#numbers.write(chunk, start);
      if (end < chunk.length) this.#numbers = undefined;
      return end + 1;
    }
    return this.#open(chunk, start);
  }

  /** Finds the next array. The first one marks the end of the header. */
  #open(chunk: string, start: number): number {
    const before = this.#text.length;
    this.#text += chunk.slice(start);
    const opening = /"(nodes|edges|trace_function_infos|trace_tree|samples|locations|strings)":\[/.exec(
      this.#text,
    );
    if (opening === null) return chunk.length;
    const name = opening[1]!;
    this.#header ??= JSON.parse(`${this.#text.slice(0, opening.index).trim().replace(/,$/, '')}}`) as Header;
    this.#text = '';
    if (name === 'strings') this.#strings = [];
    else this.#numbers = this.#arrays[name] = new Numbers();
    return start + opening.index + opening[0].length - before;
  }
}

/** Parser for an array of integers. */
class Numbers {
  #values = new Uint32Array(1024);
  #count = 0;
  #value = 0;
  #hasDigits = false;

  /** Parses up to the end of the array or the chunk, and returns that index. */
  write(chunk: string, start: number): number {
    for (let index = start; index < chunk.length; index++) {
      const character = chunk.charCodeAt(index);
      if (character >= ZERO) {
        if (character === CLOSE) {
          this.#push();
          return index;
        }
        this.#value = this.#value * 10 + character - ZERO;
        this.#hasDigits = true;
      } else if (character === COMMA) this.#push();
    }
    return chunk.length;
  }

  values(): Uint32Array {
    return this.#values.subarray(0, this.#count);
  }

  #push(): void {
    if (!this.#hasDigits) return;
    if (this.#count === this.#values.length) {
      const grown = new Uint32Array(this.#count * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#count++] = this.#value;
    this.#value = 0;
    this.#hasDigits = false;
  }
}
