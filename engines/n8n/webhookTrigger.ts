import { Buffer } from 'node:buffer';
import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { HookContext, WebhookContext } from 'n8n-core';
import type {
  IDataObject,
  IHookFunctions,
  IWebhookData,
  IWebhookFunctions,
  WebhookSetupMethodNames,
  WorkflowActivateMode,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { deepCopy, NodeHelpers, UnexpectedError, type Workflow } from './n8nWorkflow.ts';
import { nodeNamed, type PackageHost, type WorkflowJson } from './PackageHost.ts';
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
interface Received {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
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

/**
 * Activates a workflow's webhook trigger as n8n does: `checkExists`, then `create` if it returned false. Static
 * data is only saved afterwards, so the `delete` after a failure sees the old data.
 */
export async function activateTrigger(
  host: PackageHost,
  json: WorkflowJson,
  nodeName: string,
  options: ActivateOptions,
): Promise<ActiveTrigger> {
  const active = openTrigger(host, json, nodeName, options);
  const { callHook } = nodeCalls(host, json, nodeName, options);
  const workflow = host.workflow(json, deepCopy(active.staticData));
  if (options.test === true) options.onListening?.(active);
  try {
    if (!(await callHook(workflow, 'checkExists'))) await callHook(workflow, 'create');
  } catch (error) {
    await active.deactivate().catch(() => undefined);
    throw error;
  }
  active.overwriteStaticData(workflow.staticData);
  return active;
}

/**
 * The webhook trigger of an already active workflow, activated by another process or by this one before a restart.
 * Calls no method of the node.
 */
export function openTrigger(
  host: PackageHost,
  json: WorkflowJson,
  nodeName: string,
  options: ActivateOptions,
): ActiveTrigger {
  const { webhookUrl, callHook, receive } = nodeCalls(host, json, nodeName, options);
  let stored = options.test === true ? {} : deepCopy(options.staticData ?? {});
  const load = () => host.workflow(json, deepCopy(stored));
  const save = (workflow: Workflow) => {
    stored = deepCopy(workflow.staticData);
  };
  return {
    webhookUrl: webhookUrl(load()),
    get staticData() {
      return stored;
    },
    overwriteStaticData(data) {
      stored = deepCopy(data);
    },
    async receive(delivery) {
      const own = load();
      const received = await receive(own, delivery);
      // As in n8n, this overwrites any changes made in the meantime.
      if (own.staticData['__dataChanged'] === true) save(own);
      return received;
    },
    async deactivate() {
      const own = load();
      try {
        await callHook(own, 'delete');
      } finally {
        save(own);
      }
    },
  };
}

type Modes = [WorkflowExecuteMode, WorkflowActivateMode];

/** The calls that n8n makes to a trigger's node, each with a workflow that holds the static data. */
function nodeCalls(
  host: PackageHost,
  json: WorkflowJson,
  nodeName: string,
  { publicUrl, mode: activation = 'activate', test = false }: ActivateOptions,
) {
  function contextOf(workflow: Workflow, mode: WorkflowExecuteMode) {
    const node = nodeNamed(workflow, nodeName);
    const type = host.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
    const webhookDescription = type.description.webhooks?.[0];
    if (webhookDescription === undefined) throw new UnexpectedError(`${node.type} has no webhook.`);
    const additionalData = host.additionalData(mode, json, publicUrl);
    const webhook: IWebhookData = {
      httpMethod: 'POST',
      node: nodeName,
      path: NodeHelpers.getNodeWebhookPath(workflow.id, node, webhookDescription.path),
      webhookDescription,
      workflowId: workflow.id,
      workflowExecuteAdditionalData: additionalData,
      isTest: test,
    };
    return { node, type, additionalData, webhook };
  }

  function webhookUrl(workflow: Workflow): string {
    const { additionalData, webhook } = contextOf(workflow, 'trigger');
    const { webhookBaseUrl, webhookTestBaseUrl } = additionalData;
    return `${test ? webhookTestBaseUrl : webhookBaseUrl}/${webhook.path}`;
  }

  async function callHook(workflow: Workflow, method: WebhookSetupMethodNames): Promise<boolean> {
    const setUp: Modes = test ? ['manual', 'manual'] : ['trigger', activation];
    const [mode, why]: Modes = method === 'delete' ? ['internal', 'update'] : setUp;
    const { node, type, additionalData, webhook } = contextOf(workflow, mode);
    const context = new HookContext(workflow, node, additionalData, mode, why, webhook);
    const run = type.webhookMethods?.default?.[method];
    if (run === undefined) throw new UnexpectedError(`${node.type} has no webhook method ${method}.`);
    return run.call(context as unknown as IHookFunctions);
  }

  /** n8n responds with 200 as soon as the node has accepted a delivery, unless the node responded itself. */
  async function receive(workflow: Workflow, delivery: Delivery): Promise<Received> {
    const mode = test ? 'manual' : 'webhook';
    const { node, type, additionalData, webhook } = contextOf(workflow, mode);
    const response = new WebhookResponse();
    Object.assign(additionalData, { httpRequest: webhookRequest(delivery), httpResponse: response });
    const context = new WebhookContext(workflow, node, additionalData, mode, webhook, [], null);
    const result = await type.webhook?.call(context as unknown as IWebhookFunctions);
    if (result === undefined) throw new UnexpectedError(`${node.type} has no webhook method.`);
    if (result.noWebhookResponse === true) return response.ended;
    response.json({ message: result.workflowData ? 'Workflow was started' : 'Webhook call received' });
    const answer = await response.ended;
    if (result.workflowData === undefined) return answer;
    const started = { nodeName, items: result.workflowData, mode } as const;
    return { ...answer, execution: runFromTrigger(host, json, workflow, started) };
  }
  return { webhookUrl, callHook, receive };
}

/** The request as n8n passes it to a node: Express's request, with the raw body next to the parsed one. */
function webhookRequest({ method, headers, rawBody }: Delivery): object {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  let body: unknown = {};
  try {
    body = JSON.parse(rawBody.toString('utf8'));
  } catch {
    // n8n passes on such a body if the request doesn't say that it is JSON.
  }
  return { method, headers: Object.fromEntries(lowerCase) as object, rawBody, body, query: {}, params: {} };
}

/** The part of Express's response that n8n and the nodes use. */
class WebhookResponse extends EventEmitter {
  statusCode = 200;
  writableEnded = false;
  destroyed = false;
  readonly headers: Record<string, string> = {};
  /** Its content, once it ends. */
  readonly ended = new Promise<Received>((resolve) => {
    this.once('finish', (body: Buffer) => resolve({ status: this.statusCode, headers: this.headers, body }));
  });

  status(code: number): this {
    this.statusCode = code;
    return this;
  }

  setHeader(name: string, value: string): this {
    if (this.writableEnded) throw new UnexpectedError('The request got two responses.');
    this.headers[name.toLowerCase()] = value;
    return this;
  }

  json(body: unknown): this {
    return this.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }

  end(body: string | Buffer = ''): this {
    if (this.writableEnded) return this;
    this.writableEnded = true;
    this.destroyed = true;
    this.emit('finish', Buffer.from(body as string));
    this.emit('close');
    return this;
  }
}
