import type { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { HookContext, WebhookContext } from 'n8n-core';
import type {
  IDataObject,
  IHookFunctions,
  IWebhookData,
  IWebhookFunctions,
  IWorkflowExecuteAdditionalData,
  WebhookSetupMethodNames,
  WorkflowActivateMode,
  WorkflowExecuteMode,
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
  /** Why n8n activates it: `init` for a restart. Default `activate`. */
  mode?: WorkflowActivateMode;
  /** Listens for a test event of the editor: at the test address, with static data of its own. Default false. */
  test?: boolean;
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

/** What the calls for one trigger have in common. */
interface Trigger {
  core: Core;
  json: WorkflowJson;
  nodeName: string;
  publicUrl: string;
  activation: WorkflowActivateMode;
  test: boolean;
}

/**
 * Activates a workflow's webhook trigger as n8n does: checkExists, then create where it says no; static data
 * is saved afterwards, so that what follows a failure, delete, sees it as it was before.
 */
export async function activateTrigger(
  core: Core,
  json: WorkflowJson,
  nodeName: string,
  { publicUrl, staticData = {}, mode = 'activate', test = false }: ActivateOptions,
): Promise<ActiveTrigger> {
  const activation = test ? 'manual' : mode;
  const trigger: Trigger = { core, json, nodeName, publicUrl, activation, test };
  const store = { staticData: test ? {} : deepCopy(staticData) };
  const load = () => core.workflow(json, deepCopy(store.staticData));
  const save = (workflow: Workflow) => {
    store.staticData = deepCopy(workflow.staticData);
  };
  const remove = async () => {
    const own = load();
    try {
      await callHook(trigger, own, 'delete');
    } finally {
      save(own);
    }
  };
  const workflow = load();
  try {
    if (!(await callHook(trigger, workflow, 'checkExists'))) await callHook(trigger, workflow, 'create');
  } catch (error) {
    await remove().catch(() => undefined);
    throw error;
  }
  save(workflow);

  return {
    webhookUrl: webhookUrl(trigger, workflow),
    get staticData() {
      return store.staticData;
    },
    async receive(delivery) {
      const own = load();
      const received = await receive(trigger, own, delivery);
      // As in n8n: the whole column is written back, whoever wrote it in the meantime.
      if (own.staticData['__dataChanged'] === true) save(own);
      return received;
    },
    deactivate: remove,
  };
}

/** Modes in which n8n calls a life-cycle method. */
function hookModes(
  method: WebhookSetupMethodNames,
  { activation, test }: Trigger,
): [WorkflowExecuteMode, WorkflowActivateMode] {
  if (method === 'delete') return ['internal', 'update'];
  return [test ? 'manual' : 'trigger', activation];
}

async function callHook(
  trigger: Trigger,
  workflow: Workflow,
  method: WebhookSetupMethodNames,
): Promise<boolean> {
  const node = nodeNamed(workflow, trigger.nodeName);
  const { core, json, publicUrl } = trigger;
  const [mode, activation] = hookModes(method, trigger);
  const additionalData = core.additionalData(mode, json, publicUrl);
  const webhook = webhookData(trigger, workflow, additionalData);
  const context = new HookContext(workflow, node, additionalData, mode, activation, webhook);
  const type = core.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
  const run = type.webhookMethods?.default?.[method];
  if (run === undefined) throw new UnexpectedError(`${node.type} has no webhook method ${method}.`);
  return run.call(context as unknown as IHookFunctions);
}

function webhookData(
  { core, nodeName, test }: Trigger,
  workflow: Workflow,
  additionalData: IWorkflowExecuteAdditionalData,
): IWebhookData {
  const node = nodeNamed(workflow, nodeName);
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
    isTest: test,
  };
}

function webhookUrl(trigger: Trigger, workflow: Workflow): string {
  const additionalData = trigger.core.additionalData('trigger', trigger.json, trigger.publicUrl);
  const base = trigger.test ? additionalData.webhookTestBaseUrl : additionalData.webhookBaseUrl;
  return `${base}/${webhookData(trigger, workflow, additionalData).path}`;
}

/** n8n answers 200 as soon as the node has taken a delivery (`onReceived`), unless the node answered itself. */
async function receive(trigger: Trigger, workflow: Workflow, delivery: Delivery): Promise<Received> {
  const { core, json, nodeName, publicUrl, test } = trigger;
  const node = nodeNamed(workflow, nodeName);
  const type = core.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
  const { response, finished } = webhookResponse();
  const mode: WorkflowExecuteMode = test ? 'manual' : 'webhook';
  const additionalData = {
    ...core.additionalData(mode, json, publicUrl),
    httpRequest: webhookRequest(delivery),
    httpResponse: response,
  } as IWorkflowExecuteAdditionalData;
  const webhook = webhookData(trigger, workflow, additionalData);
  const context = new WebhookContext(workflow, node, additionalData, mode, webhook, [], null);
  const result = await type.webhook?.call(context as unknown as IWebhookFunctions);
  if (result === undefined) throw new UnexpectedError(`${node.type} receives no webhooks.`);
  if (result.noWebhookResponse === true) return finished;
  response.json(result.webhookResponse ?? { message: 'Workflow was started' });
  const sent = await finished;
  if (result.workflowData === undefined) return sent;
  const started = { nodeName, items: result.workflowData, mode };
  return { ...sent, execution: runFromTrigger(core, json, workflow, started) };
}
