import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { INodeType } from 'n8n-workflow';
import { PACKAGE_DIR } from './world.ts';

const TRIGGER = 'QrServiceTrigger';
const FILE = join(PACKAGE_DIR, 'dist/nodes', TRIGGER, `${TRIGGER}.node.js`);

type Load = (
  module: { exports: Record<string, new () => INodeType> },
  exports: object,
  req: typeof require,
) => void;
let load: Load | undefined;

/** The instant trigger in a process of n8n's own: what it remembers is lost with a restart. */
export class N8nProcess {
  #node = newNode();

  /** For an engine's option `otherNodes`. */
  readonly otherNodes: Record<string, INodeType>;

  constructor() {
    const current = () => this.#node;
    const node: INodeType = {
      get description() {
        return current().description;
      },
      get webhookMethods() {
        return current().webhookMethods!;
      },
      get webhook() {
        return current().webhook!;
      },
    };
    this.otherNodes = { 'n8n-nodes-qr-service.qrServiceTrigger': node };
  }

  restart(): void {
    this.#node = newNode();
  }
}

/** Evaluates the built node anew, with its modules' state. */
function newNode(): INodeType {
  load ??= compileFunction(readFileSync(FILE, 'utf8'), ['module', 'exports', 'require']) as Load;
  const module: Parameters<Load>[0] = { exports: {} };
  load(module, module.exports, require);
  const Node = module.exports[TRIGGER]!;
  return new Node();
}
