import { ExecuteContext, RoutingNode } from 'n8n-core';
import type { ICredentialsDecrypted, INode, INodeType, ITaskDataConnections } from 'n8n-workflow';
import { createRunExecutionData, UnexpectedError, Workflow } from './n8nWorkflow.ts';
import type { Core } from './Core.ts';

/** Sends the test request of a held credential, as n8n does when it is saved. Throws what n8n would show. */
export async function testCredential(core: Core, credentialType: string, nodeType: string): Promise<void> {
  const request = core.loader.getCredential(credentialType).type.test?.request;
  if (request === undefined) throw new UnexpectedError(`${credentialType} has no test request.`);
  const tested = core.nodeTypes.getByNameAndVersion(nodeType, 1);
  const withRequest = {
    description: {
      ...tested.description,
      credentials: [{ name: credentialType, required: true }],
      properties: [{ displayName: 'Temp', name: 'temp', type: 'string', routing: { request }, default: '' }],
    },
  } as unknown as INodeType;

  const node: INode = {
    id: '1',
    name: 'Test',
    type: nodeType,
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
    credentials: core.credentials.references([credentialType]),
  };
  const workflow = new Workflow({
    nodes: [node],
    connections: {},
    active: false,
    nodeTypes: {
      getByName: () => withRequest,
      getByNameAndVersion: () => withRequest,
      getKnownTypes: () => ({}),
    },
  });
  const additionalData = core.additionalData('internal', { nodes: [node], connections: {} });
  const inputData: ITaskDataConnections = { main: [[{ json: {} }]] };
  const context = new ExecuteContext(
    workflow,
    node,
    additionalData,
    'internal',
    createRunExecutionData(),
    0,
    [],
    inputData,
    { node, data: inputData, source: null },
    [],
  );
  const credentials: ICredentialsDecrypted = {
    id: credentialType,
    name: credentialType,
    type: credentialType,
    data: await core.credentials.getDecrypted(additionalData, { id: '1', name: '1' }, credentialType),
  };
  await new RoutingNode(context, withRequest, credentials).runNode();
}
