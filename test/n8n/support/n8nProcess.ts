import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeType } from 'n8n-workflow';

export const PACKAGE_DIR = join(__dirname, '../../../packages/n8n-nodes-qr-service');

const TRIGGER = 'QrServiceTrigger';
const FILE = join(PACKAGE_DIR, 'dist/bundle.js');

type Load = (
  module: { exports: Record<string, new () => INodeType> },
  exports: object,
  require: NodeJS.Require,
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
  // Unlike `compileFunction`, it runs with the test's own globals: its clock, its random waits and its mutations.
  // oxlint-disable-next-line typescript/no-implied-eval -- the package's own bundle
  load ??= new Function('module', 'exports', 'require', readFileSync(FILE, 'utf8')) as Load;
  const module: Parameters<Load>[0] = { exports: {} };
  load(module, module.exports, require);
  const Node = module.exports[TRIGGER]!;
  return new Node();
}
