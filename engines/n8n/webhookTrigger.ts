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

/** How to activate a webhook trigger. */
export interface ActivateOptions {
  /** Public URL of this n8n, such as `https://n8n.example.com`. */
  publicUrl: string;
  /** Static data of an earlier activation. */
  staticData?: IDataObject;
  /** Why n8n activates it: `init` for a restart. Default `activate`. */
  mode?: WorkflowActivateMode;
  /** Listens for the editor's test event: at the test URL, with separate static data. Default: false. */
  test?: boolean;
  /** Called when n8n starts to listen at the test URL: as in n8n, before `create`. */
  onListening?: (trigger: ActiveTrigger) => void;
}

/** One HTTP request to a webhook. */
export interface Delivery {
  method: string;
  /** Header names are case-insensitive. */
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
}

/** The response to a delivery, and the execution that it started, if any. */
interface Received extends WebhookAnswer {
  execution?: Promise<RunResult>;
}

/** The webhook trigger of an active workflow. */
export interface ActiveTrigger {
  /** Public URL that the service delivers to. */
  readonly webhookUrl: string;
  /** The workflow's stored static data; the node's is under `node:<name>`. */
  readonly staticData: IDataObject;
  /** Replaces the stored static data, as n8n does when another trigger of the workflow saves its own copy. */
  overwriteStaticData(staticData: IDataObject): void;
  receive(delivery: Delivery): Promise<Received>;
  /** Calls the node's `delete`. Rethrows its error; it can then be called again. */
  deactivate(): Promise<void>;
}

/** Context of all calls for one trigger. */
interface Trigger {
  core: Core;
  json: WorkflowJson;
  nodeName: string;
  publicUrl: string;
  activation: WorkflowActivateMode;
  test: boolean;
}

/**
 * Activates a workflow's webhook trigger as n8n does: `checkExists`, then `create` if it returned false. Static
 * data is only saved afterwards, so the `delete` after a failure sees the old data.
 */
export async function activateTrigger(
  core: Core,
  json: WorkflowJson,
  nodeName: string,
  options: ActivateOptions,
): Promise<ActiveTrigger> {
  const active = openTrigger(core, json, nodeName, options);
  const trigger = triggerOf(core, json, nodeName, options);
  const workflow = core.workflow(json, deepCopy(active.staticData));
  if (options.test === true) options.onListening?.(active);
  try {
    if (!(await callHook(trigger, workflow, 'checkExists'))) await callHook(trigger, workflow, 'create');
  } catch (error) {
    await active.deactivate().catch(() => undefined);
    throw error;
  }
  active.overwriteStaticData(workflow.staticData);
  return active;
}

function triggerOf(
  core: Core,
  json: WorkflowJson,
  nodeName: string,
  { publicUrl, mode = 'activate', test = false }: ActivateOptions,
): Trigger {
  return { core, json, nodeName, publicUrl, activation: test ? 'manual' : mode, test };
}

/**
 * The webhook trigger of an already active workflow, activated by another process or by this one before a restart.
 * Calls no method of the node.
 */
export function openTrigger(
  core: Core,
  json: WorkflowJson,
  nodeName: string,
  options: ActivateOptions,
): ActiveTrigger {
  const { staticData = {}, test = false } = options;
  const trigger = triggerOf(core, json, nodeName, options);
  const store = { staticData: test ? {} : deepCopy(staticData) };
  const load = () => core.workflow(json, deepCopy(store.staticData));
  const save = (workflow: Workflow) => {
    store.staticData = deepCopy(workflow.staticData);
  };
  return {
    webhookUrl: webhookUrl(trigger, load()),
    get staticData() {
      return store.staticData;
    },
    overwriteStaticData(data) {
      store.staticData = deepCopy(data);
    },
    async receive(delivery) {
      const own = load();
      const received = await receive(trigger, own, delivery);
      // As in n8n, this overwrites any changes made in the meantime.
      if (own.staticData['__dataChanged'] === true) save(own);
      return received;
    },
    async deactivate() {
      const own = load();
      try {
        await callHook(trigger, own, 'delete');
      } finally {
        save(own);
      }
    },
  };
}

/** Modes in which n8n calls a lifecycle method. */
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

/** n8n responds with 200 as soon as the node has accepted a delivery (`onReceived`), unless the node responded itself. */
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
  if (result === undefined) throw new UnexpectedError(`${node.type} has no webhook method.`);
  if (result.noWebhookResponse === true) return finished;
  response.json(result.webhookResponse ?? { message: 'Workflow was started' });
  const sent = await finished;
  if (result.workflowData === undefined) return sent;
  const started = { nodeName, items: result.workflowData, mode };
  return { ...sent, execution: runFromTrigger(core, json, workflow, started) };
}
