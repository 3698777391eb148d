import { randomUUID } from 'node:crypto';
import { ExecutionLifecycleHooks, PackageDirectoryLoader } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  ICredentialsHelper,
  IDataObject,
  IHttpRequestOptions,
  INode,
  INodeCredentialsDetails,
  INodeParameters,
  INodeType,
  INodeTypes,
  IWorkflowBase,
  IWorkflowExecuteAdditionalData,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { deepCopy, NodeHelpers, UnexpectedError, Workflow } from './n8nWorkflow.ts';
import { standIn } from './standIns.ts';

/** A workflow as n8n exports it. */
export type WorkflowJson = Pick<IWorkflowBase, 'nodes' | 'connections'> &
  Partial<Pick<IWorkflowBase, 'id' | 'name' | 'settings' | 'pinData'>>;

/** A loaded package, and what n8n-core needs to run its nodes. */
export class PackageHost {
  readonly loader: PackageDirectoryLoader;
  readonly nodeTypes: INodeTypes;
  readonly #credentials: Record<string, ICredentialDataDecryptedObject>;
  readonly #otherNodes: Record<string, INodeType>;

  /**
   * @param credentials one of each type
   * @param otherNodes further node types, by full name
   */
  constructor(
    packageDir: string,
    credentials: Record<string, ICredentialDataDecryptedObject>,
    otherNodes: Record<string, INodeType> = {},
  ) {
    this.loader = new PackageDirectoryLoader(packageDir);
    this.#credentials = credentials;
    this.#otherNodes = otherNodes;
    this.nodeTypes = {
      getByName: (type) => this.#nodeType(type),
      getByNameAndVersion: (type, version) => this.#nodeType(type, version),
      getKnownTypes: () => ({}),
    };
  }

  /** Creates a workflow from a copy of the JSON. Nodes without a credential get the engine's. */
  workflow(json: WorkflowJson, staticData: IDataObject = {}): Workflow {
    const nodes = deepCopy(json.nodes);
    for (const node of nodes) {
      const required = this.#nodeType(node.type, node.typeVersion).description.credentials ?? [];
      const known = required.map(({ name }) => name).filter((type) => type in this.#credentials);
      const own = Object.fromEntries(known.map((type) => [type, { id: type, name: type }]));
      node.credentials = { ...own, ...node.credentials };
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
    return {
      credentialsHelper: this.#credentialsHelper(),
      executionId,
      hooks: new ExecutionLifecycleHooks(mode, executionId, json as IWorkflowBase),
      currentNodeExecutionIndex: 0,
      variables: {},
      instanceBaseUrl: `${base}/`,
      webhookBaseUrl: `${base}/webhook`,
      webhookTestBaseUrl: `${base}/webhook-test`,
      webhookWaitingBaseUrl: `${base}/webhook-waiting`,
      formWaitingBaseUrl: `${base}/form-waiting`,
      logAiEvent: () => undefined,
    } as unknown as IWorkflowExecuteAdditionalData;
  }

  /** A credential as a node gets it: with the defaults of its type. */
  decrypted(type: string): ICredentialDataDecryptedObject {
    const data = this.#credentials[type];
    if (data === undefined) throw new UnexpectedError(`There is no credential of type ${type}.`);
    const { properties } = this.loader.getCredential(type).type;
    const values = data as INodeParameters;
    const withDefaults = NodeHelpers.getNodeParameters(properties, values, true, false, null, null);
    // n8n evaluates expressions later: a failed one results in undefined.
    const failed = Object.entries<unknown>(data).filter(([, value]) => value === undefined);
    return { ...withDefaults, ...Object.fromEntries(failed) } as ICredentialDataDecryptedObject;
  }

  #nodeType(type: string, version?: number): INodeType {
    const prefix = `${this.loader.packageName}.`;
    const other = this.#otherNodes[type] ?? standIn(type);
    if (other !== undefined) return other;
    if (!type.startsWith(prefix)) throw new UnexpectedError(`The node type ${type} is not installed.`);
    return NodeHelpers.getVersionedNodeType(this.loader.getNode(type.slice(prefix.length)).type, version);
  }

  /** The part of n8n's credentials that its contexts use for types like the package's. */
  #credentialsHelper(): ICredentialsHelper {
    const helper: Partial<ICredentialsHelper> = {
      getDecrypted: (_data, _reference: INodeCredentialsDetails, type) =>
        Promise.resolve().then(() => this.decrypted(type)),
      authenticate: async (credentials, type, request) => {
        const { authenticate } = this.loader.getCredential(type).type;
        if (typeof authenticate !== 'function')
          throw new UnexpectedError(`The credential type ${type} has no authenticate function.`);
        return authenticate(credentials, request as IHttpRequestOptions);
      },
      getCredentialsProperties: (type) => this.loader.getCredential(type).type.properties,
      getParentTypes: () => [],
      isCredentialUsableByNode: () => true,
      preAuthentication: () => Promise.resolve(undefined),
      runPreAuthentication: () => Promise.resolve(undefined),
    };
    return helper as ICredentialsHelper;
  }
}

/** Returns a workflow's node by name. @throws UnexpectedError when there is none */
export function nodeNamed(workflow: Workflow, name: string): INode {
  const node = workflow.getNode(name);
  if (node === null) throw new UnexpectedError(`The workflow has no node named ${name}.`);
  return node;
}
