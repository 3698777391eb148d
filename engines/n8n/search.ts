import { LoadOptionsContext } from 'n8n-core';
import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { UnexpectedError } from './n8nWorkflow.ts';
import { nodeNamed, type Core } from './Core.ts';

/** A search in a resource locator's list. */
export interface Search {
  /** Full name of the node type. */
  nodeType: string;
  /** The locator's search method. */
  method: string;
  filter?: string;
  paginationToken?: string;
}

/** Loads one page of a resource locator's list, as the editor does. */
export async function search(
  core: Core,
  { nodeType, method, filter, paginationToken }: Search,
): Promise<INodeListSearchResult> {
  const node = {
    id: '1',
    name: 'Node',
    type: nodeType,
    typeVersion: 1,
    position: [0, 0] as [number, number],
    parameters: {},
  };
  const json = { nodes: [node], connections: {} };
  const workflow = core.workflow(json);
  const context = new LoadOptionsContext(
    workflow,
    nodeNamed(workflow, 'Node'),
    core.additionalData('internal', json),
    `parameters.${method}`,
  );
  const run = core.nodeTypes.getByNameAndVersion(nodeType, 1).methods?.listSearch?.[method];
  if (run === undefined) throw new UnexpectedError(`${nodeType} has no list search ${method}.`);
  return run.call(context as unknown as ILoadOptionsFunctions, filter, paginationToken);
}
