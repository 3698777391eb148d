/** A heap snapshot of V8, in V8's own flat layout: `nodes` and `edges` hold so many numbers for each of them. */
export interface HeapSnapshot {
  nodes: Uint32Array;
  edges: Uint32Array;
  /** Four numbers each: place in `nodes`, script, line, column; for functions, generators and instances of classes. */
  locations: readonly number[];
  strings: readonly string[];
  /** Names of a node's numbers. */
  nodeFields: readonly string[];
  /** Names of the values of a node's field `type`. */
  nodeTypes: readonly string[];
  /** Names of an edge's numbers. */
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
 * Reads a snapshot as it comes, chunk by chunk: the whole text of a large one is longer than a string may be.
 * The order of its parts is that in which V8 writes them.
 */
export class HeapSnapshotReader {
  /** What is not understood yet: the part before an array, or a start of the array of strings. */
  #text = '';
  #header: Header | undefined;
  #numbers: Numbers | undefined;
  #strings: string[] | undefined;
  readonly #arrays: Record<string, Numbers> = {};

  /** Takes the next chunk. */
  write(chunk: string): void {
    let start = 0;
    while (start < chunk.length) start = this.#take(chunk, start);
  }

  /** Gives the snapshot once all chunks are in. @throws Error when it is not whole */
  end(): HeapSnapshot {
    if (this.#header === undefined || this.#strings === undefined)
      throw new Error('The heap snapshot is not whole.');
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
        `The heap snapshot's ${name} are ${values?.length ?? 0} numbers in place of ${length}.`,
      );
    return values;
  }

  /** Takes what comes next in a chunk and returns where it ends. */
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

  /** Goes on to the next array; the header's own end with the first of them. */
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

/** The numbers of one array, as they come. */
class Numbers {
  #values = new Uint32Array(1024);
  #count = 0;
  #value = 0;
  #hasDigits = false;

  /** Reads up to the end of the array or of the chunk, and returns where that is. */
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
