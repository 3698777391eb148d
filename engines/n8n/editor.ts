import { CredentialTestContext, LoadOptionsContext } from 'n8n-core';
import type {
  ILoadOptionsFunctions,
  INodeCredentialTestResult,
  INodeListSearchResult,
  INodeType,
} from 'n8n-workflow';
import { UnexpectedError } from './n8nWorkflow.ts';
import { nodeNamed, type PackageHost } from './PackageHost.ts';

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
  host: PackageHost,
  { nodeType, method, filter, paginationToken }: Search,
): Promise<INodeListSearchResult> {
  const node = { id: '1', name: 'Node', type: nodeType, typeVersion: 1, position: [0, 0], parameters: {} };
  const json = { nodes: [node as Parameters<PackageHost['workflow']>[0]['nodes'][number]], connections: {} };
  const workflow = host.workflow(json);
  const context = new LoadOptionsContext(
    workflow,
    nodeNamed(workflow, 'Node'),
    host.additionalData('internal', json),
    `parameters.${method}`,
  );
  const run = host.nodeTypes.getByNameAndVersion(nodeType, 1).methods?.listSearch?.[method];
  if (run === undefined) throw new UnexpectedError(`${nodeType} has no list search ${method}.`);
  return run.call(context as unknown as ILoadOptionsFunctions, filter, paginationToken);
}

/**
 * Tests a credential as n8n does on saving: with the test function that the first node using it names.
 * Returns what n8n would show.
 */
export async function testCredential(host: PackageHost, type: string): Promise<INodeCredentialTestResult> {
  const { loader, nodeTypes } = host;
  if (loader.getCredential(type).type.test !== undefined)
    throw new UnexpectedError(`${type} has its own test request, which this engine does not support.`);
  const tests = (loader.known.credentials[type]?.supportedNodes ?? []).flatMap((node) => {
    const { description, methods } = nodeTypes.getByName(`${loader.packageName}.${node}`) as INodeType;
    const testedBy = description.credentials?.find(({ name }) => name === type)?.testedBy;
    return typeof testedBy === 'string' ? [methods?.credentialTest?.[testedBy]] : [];
  });
  // n8n uses the first node that names a function, and fails if that node doesn't have it.
  const [test] = tests;
  if (test === undefined) throw new UnexpectedError('No testing function found for this credential.');
  const context = new CredentialTestContext(host.additionalData('internal', { nodes: [], connections: {} }));
  return test.call(context, { id: type, name: type, type, data: host.decrypted(type) });
}
