import type { PackageDirectoryLoader } from 'n8n-core';
import type { IDataObject, INodeType, INodeTypes } from 'n8n-workflow';
import { NodeHelpers, UnexpectedError } from './n8nWorkflow.ts';
import { STAND_INS } from './standIns.ts';

/** Node types of the loaded package and of others: stand-ins for n8n's own, unless they are overridden. */
export class NodeTypes implements INodeTypes {
  readonly #loader: PackageDirectoryLoader;
  readonly #others: Record<string, INodeType>;

  constructor(loader: PackageDirectoryLoader, others: Record<string, INodeType> = {}) {
    this.#loader = loader;
    this.#others = { ...STAND_INS, ...others };
  }

  getByName(nodeType: string): INodeType {
    return this.getByNameAndVersion(nodeType);
  }

  getByNameAndVersion(nodeType: string, version?: number): INodeType {
    const other = this.#others[nodeType];
    if (other !== undefined) return other;
    const prefix = `${this.#loader.packageName}.`;
    if (!nodeType.startsWith(prefix))
      throw new UnexpectedError(`The node type ${nodeType} is not installed.`);
    return NodeHelpers.getVersionedNodeType(
      this.#loader.getNode(nodeType.slice(prefix.length)).type,
      version,
    );
  }

  getKnownTypes(): IDataObject {
    return {};
  }
}
