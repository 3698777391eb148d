import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { INodeType } from 'n8n-workflow';

export const PACKAGE_DIR = join(__dirname, '../../../packages/n8n-nodes-qr-service');

const TRIGGER = 'QrServiceTrigger';
const FILE = join(PACKAGE_DIR, 'dist/nodes', TRIGGER, `${TRIGGER}.node.js`);

type Load = (
  module: { exports: Record<string, new () => INodeType> },
  exports: object,
  require: NodeJS.Require,
  date: DateConstructor,
  math: Math,
) => void;
let load: Load | undefined;

/** The instant trigger in a separate n8n process. A restart clears its memory. */
export class N8nProcess {
  #node = newNode();

  /** For an engine's option `otherNodes`. */
  readonly otherNodes: Record<string, INodeType> = {
    'n8n-nodes-qr-service.qrServiceTrigger': new Proxy(this.#node, {
      get: (_first, property) => Reflect.get(this.#node, property) as unknown,
    }),
  };

  restart(): void {
    this.#node = newNode();
  }
}

/** Loads the built node again, with new module state. */
function newNode(): INodeType {
  load ??= compileFunction(readFileSync(FILE, 'utf8'), [
    'module',
    'exports',
    'require',
    'Date',
    'Math',
  ]) as Load;
  const module: Parameters<Load>[0] = { exports: {} };
  // The test's own: it may have replaced the clock and the random waits.
  load(module, module.exports, require, Date, Math);
  const Node = module.exports[TRIGGER]!;
  return new Node();
}
