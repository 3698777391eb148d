import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { HookContext, WebhookContext } from 'n8n-core';
import type {
  IDataObject,
  IHookFunctions,
  INode,
  IWebhookData,
  IWebhookFunctions,
  IWorkflowExecuteAdditionalData,
  WebhookSetupMethodNames,
  WorkflowActivateMode,
} from 'n8n-workflow';
import type { Workflow } from './n8nWorkflow.ts';
import { deepCopy, NodeHelpers, UnexpectedError } from './n8nWorkflow.ts';
import { nodeNamed, type Core, type WorkflowJson } from './Core.ts';
import { webhookRequest, webhookResponse, type WebhookAnswer } from './http.ts';
import { runFromTrigger, type RunResult } from './runWorkflow.ts';

/** How a webhook trigger is activated. */
export interface ActivateOptions {
  /** Address of this n8n as the outside sees it, e.g. `https://n8n.example.com`. */
  publicUrl: string;
  /** What a former activation left behind. */
  staticData?: IDataObject;
}

/** One HTTP request to a webhook. */
export interface Delivery {
  method: string;
  /** Names in any case. */
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
}

/** The answer to a delivery, and the execution that it started, if any. */
export interface Received extends WebhookAnswer {
  execution?: Promise<RunResult>;
}

/** The webhook trigger of an active workflow. */
export interface ActiveTrigger {
  /** Public address that was given to the service. */
  readonly webhookUrl: string;
  /** The workflow's static data as it is stored: the node's own under `node:<name>`. */
  readonly staticData: IDataObject;
  receive(delivery: Delivery): Promise<Received>;
  /** Calls the node's delete; throws when it throws, and may then be called again. */
  deactivate(): Promise<void>;
}

/**
 * Activates a workflow's webhook trigger as n8n does: checkExists, then create where it says no; after a
 * failure delete, with the same static data.
 */
export async function activateTrigger(
  core: Core,
  json: WorkflowJson,
  nodeName: string,
  { publicUrl, staticData = {} }: ActivateOptions,
): Promise<ActiveTrigger> {
  const store = { staticData: deepCopy(staticData) };
  const load = () => core.workflow(json, deepCopy(store.staticData));
  const save = (workflow: Workflow) => {
    store.staticData = deepCopy(workflow.staticData);
  };
  const workflow = load();
  const node = nodeNamed(workflow, nodeName);
  const additionalData = core.additionalData('trigger', json, publicUrl);
  const hook = webhookHooks(core, workflow, node, additionalData);
  try {
    if (!(await hook('checkExists', 'activate'))) await hook('create', 'activate');
  } catch (error) {
    await hook('delete', 'activate').catch(() => undefined);
    save(workflow);
    throw error;
  }
  save(workflow);

  return {
    webhookUrl: webhookUrl(workflow, node, additionalData, core),
    get staticData() {
      return store.staticData;
    },
    async receive(delivery) {
      const own = load();
      const received = await receive(core, json, own, nodeName, { publicUrl, delivery });
      // As in n8n: the whole column is written back, whoever wrote it in the meantime.
      if (own.staticData['__dataChanged'] === true) save(own);
      return received;
    },
    async deactivate() {
      const own = load();
      const ownHook = webhookHooks(core, own, nodeNamed(own, nodeName), additionalData);
      try {
        await ownHook('delete', 'update');
      } finally {
        save(own);
      }
    },
  };
}

function webhookHooks(
  core: Core,
  workflow: Workflow,
  node: INode,
  additionalData: IWorkflowExecuteAdditionalData,
) {
  return async (method: WebhookSetupMethodNames, activation: WorkflowActivateMode): Promise<boolean> => {
    const webhook = webhookData(core, workflow, node, additionalData);
    const context = new HookContext(workflow, node, additionalData, 'trigger', activation, webhook);
    const type = core.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
    const run = type.webhookMethods?.default?.[method];
    if (run === undefined) throw new UnexpectedError(`${node.type} has no webhook method ${method}.`);
    return run.call(context as unknown as IHookFunctions);
  };
}

function webhookData(
  core: Core,
  workflow: Workflow,
  node: INode,
  additionalData: IWorkflowExecuteAdditionalData,
): IWebhookData {
  const type = core.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
  const webhookDescription = type.description.webhooks?.[0];
  if (webhookDescription === undefined) throw new UnexpectedError(`${node.type} has no webhook.`);
  return {
    httpMethod: 'POST',
    node: node.name,
    path: NodeHelpers.getNodeWebhookPath(workflow.id, node, webhookDescription.path),
    webhookDescription,
    workflowId: workflow.id,
    workflowExecuteAdditionalData: additionalData,
  };
}

function webhookUrl(
  workflow: Workflow,
  node: INode,
  additionalData: IWorkflowExecuteAdditionalData,
  core: Core,
): string {
  return `${additionalData.webhookBaseUrl}/${webhookData(core, workflow, node, additionalData).path}`;
}

/** n8n answers 200 as soon as the node has taken a delivery (`onReceived`), unless the node answered itself. */
async function receive(
  core: Core,
  json: WorkflowJson,
  workflow: Workflow,
  nodeName: string,
  { publicUrl, delivery }: { publicUrl: string; delivery: Delivery },
): Promise<Received> {
  const node = nodeNamed(workflow, nodeName);
  const type = core.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
  const { response, answered } = webhookResponse();
  const additionalData = {
    ...core.additionalData('webhook', json, publicUrl),
    httpRequest: webhookRequest(delivery),
    httpResponse: response,
  } as IWorkflowExecuteAdditionalData;
  const webhook = webhookData(core, workflow, node, additionalData);
  const context = new WebhookContext(workflow, node, additionalData, 'webhook', webhook, [], null);
  const result = await type.webhook?.call(context as unknown as IWebhookFunctions);
  if (result === undefined) throw new UnexpectedError(`${node.type} receives no webhooks.`);
  if (result.noWebhookResponse === true) return answered;
  const body = JSON.stringify(result.webhookResponse ?? { message: 'Workflow was started' });
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  if (result.workflowData === undefined) return answer;
  const trigger = { nodeName, items: result.workflowData, mode: 'webhook' as const };
  return { ...answer, execution: runFromTrigger(core, json, workflow, trigger) };
}
