import { randomUUID } from 'node:crypto';
import { ExecutionLifecycleHooks, PackageDirectoryLoader } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  INode,
  INodeType,
  IWorkflowBase,
  IWorkflowExecuteAdditionalData,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { deepCopy, UnexpectedError, Workflow } from './n8nWorkflow.ts';
import { CredentialsHelper } from './CredentialsHelper.ts';
import { NodeTypes } from './NodeTypes.ts';

/** A workflow as n8n exports it. */
export type WorkflowJson = Pick<IWorkflowBase, 'nodes' | 'connections'> &
  Partial<Pick<IWorkflowBase, 'id' | 'name' | 'settings' | 'pinData'>>;

/** A loaded package, and what n8n-core needs to run its nodes. */
export class Core {
  readonly loader: PackageDirectoryLoader;
  readonly nodeTypes: NodeTypes;
  readonly credentials: CredentialsHelper;

  constructor(
    packageDir: string,
    credentials: Record<string, ICredentialDataDecryptedObject>,
    otherNodes?: Record<string, INodeType>,
  ) {
    this.loader = new PackageDirectoryLoader(packageDir);
    this.nodeTypes = new NodeTypes(this.loader, otherNodes);
    this.credentials = new CredentialsHelper(this.loader, credentials);
  }

  /** Creates a workflow from a copy of the JSON. Nodes without a credential get the engine's. */
  workflow(json: WorkflowJson, staticData: IDataObject = {}): Workflow {
    const nodes = deepCopy(json.nodes);
    for (const node of nodes) {
      const required =
        this.nodeTypes.getByNameAndVersion(node.type, node.typeVersion).description.credentials ?? [];
      node.credentials = {
        ...this.credentials.references(required.map(({ name }) => name)),
        ...node.credentials,
      };
    }
    return new Workflow({
      id: json.id ?? json.name ?? 'workflow',
      name: json.name ?? 'Workflow',
      nodes,
      connections: deepCopy(json.connections),
      active: false,
      nodeTypes: this.nodeTypes,
      staticData,
      settings: { executionOrder: 'v1', ...json.settings },
    });
  }

  /**
   * The data that n8n passes to every execution context.
   * @param publicUrl public URL of this n8n, without a path
   */
  additionalData(
    mode: WorkflowExecuteMode,
    json: WorkflowJson,
    publicUrl = 'http://localhost:5678',
  ): IWorkflowExecuteAdditionalData {
    const base = publicUrl.replace(/(?<!\/)\/+$/, '');
    const executionId = randomUUID();
    const unavailable = (what: string) => () => {
      throw new UnexpectedError(`${what} is not available in this engine.`);
    };
    return {
      credentialsHelper: this.credentials,
      executionId,
      hooks: new ExecutionLifecycleHooks(mode, executionId, json as IWorkflowBase),
      currentNodeExecutionIndex: 0,
      variables: {},
      restApiUrl: `${base}/rest`,
      instanceBaseUrl: `${base}/`,
      webhookBaseUrl: `${base}/webhook`,
      webhookTestBaseUrl: `${base}/webhook-test`,
      webhookWaitingBaseUrl: `${base}/webhook-waiting`,
      formBaseUrl: `${base}/form`,
      formTestBaseUrl: `${base}/form-test`,
      formWaitingBaseUrl: `${base}/form-waiting`,
      mcpBaseUrl: `${base}/mcp`,
      mcpTestBaseUrl: `${base}/mcp-test`,
      executeWorkflow: unavailable('A sub-workflow'),
      getRunExecutionData: () => Promise.resolve(undefined),
      getRuntimeCredential: unavailable('A runtime credential'),
      startRunnerTask: unavailable('A task runner'),
      logAiEvent: () => undefined,
    } as unknown as IWorkflowExecuteAdditionalData;
  }
}

/** Returns a workflow's node by name. @throws UnexpectedError when there is none */
export function nodeNamed(workflow: Workflow, name: string): INode {
  const node = workflow.getNode(name);
  if (node === null) throw new UnexpectedError(`The workflow has no node named ${name}.`);
  return node;
}
