import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'flatted';
import type { IDataObject, INode, INodeExecutionData, INodePropertyOptions } from 'n8n-workflow';
import { omitUndefined } from '@qr-service/core/connector';
import type { WorkflowJson } from '../../../../engines/n8n/index.ts';

/** A reference to a credential, as nodes hold it. */
export interface CredentialRef {
  id: string;
  name: string;
}

/** An execution, as in the executions list. */
interface ExecutionSummary {
  id: string;
  workflowId: string;
  status: string;
}

/** An execution with the output of its nodes. */
export interface Execution extends ExecutionSummary {
  /** Items of each node's last run, in the order of the outputs. */
  items: Record<string, INodeExecutionData[]>;
  /** Duration of each node's last run, in milliseconds. */
  durations: Record<string, number>;
  /** Message of the error that ended the execution. */
  error?: string;
}

/** What the editor can do, through the same REST API. */
export type N8nRest = ReturnType<typeof connectRest>;

export const OWNER = {
  email: process.env['N8N_EMAIL'] || 'owner@example.com',
  password: process.env['N8N_PASSWORD'] || 'Open-sesame-1',
  firstName: 'Olive',
  lastName: 'Owner',
};

const LOCAL = '127.0.0.1';

const RUNNING = new Set(['new', 'running', 'waiting']);

/**
 * Connects to the REST API that n8n's editor uses.
 * @param host name of this machine for n8n
 */
export function connectRest(url: string, host = LOCAL) {
  let cookie = '';
  const fromN8n = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll(`//${LOCAL}:`, `//${host}:`)) as Value;

  async function send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<Buffer> {
    const response = await fetch(`${url}/rest${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', 'Browser-Id': 'e2e', Cookie: cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const cookies = response.headers.getSetCookie();
    if (cookies.length > 0) cookie = cookies.map((line) => line.split(';')[0]).join('; ');
    const content = Buffer.from(await response.arrayBuffer());
    if (!response.ok)
      throw new Error(
        `${method} /rest${path} returned ${response.status}: ${content.toString().slice(0, 500)}`,
      );
    return content;
  }

  async function call<Data>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<Data> {
    return (JSON.parse((await send(method, path, body)).toString()) as { data: Data }).data;
  }

  /** n8n responds at once, and activates or removes triggers in the background. */
  async function waitForPublication(workflowId: string): Promise<PublicationStatus> {
    for (;;) {
      const status = await call<PublicationStatus>('GET', `/workflows/${workflowId}/publication-status`);
      if (status.status !== 'in_progress') return status;
      await sleep(50);
    }
  }

  const rest = {
    /** Signs in as the owner, who is created if there is none. */
    async signIn(): Promise<void> {
      const { userManagement } = await call<Settings>('GET', '/settings');
      const login = { emailOrLdapLoginId: OWNER.email, password: OWNER.password };
      if (userManagement.showSetupOnFirstLoad) await call('POST', '/owner/setup', OWNER);
      else await call('POST', '/login', login);
    },
    /** Where n8n says that its webhooks are, and whether it knows a type of node. */
    async setup(nodeType: string): Promise<{ webhookUrl: string; isKnown: boolean }> {
      const { urlBaseWebhook } = await call<Settings>('GET', '/settings');
      const nodes = call('POST', '/node-types', { nodeInfos: [{ name: nodeType, version: 1 }] });
      const isKnown = await nodes.then(
        () => true,
        () => false,
      );
      return { webhookUrl: urlBaseWebhook, isKnown };
    },
    /** What n8n's migration report for version 3 finds in these workflows. */
    async migrationFindings(workflowIds: readonly string[]): Promise<string[]> {
      const path = '/breaking-changes/report';
      const { report } = await call<{ report: { workflowResults: { ruleId: string }[] } }>(
        'POST',
        `${path}/refresh?version=v3`,
      );
      const findings: string[] = [];
      for (const { ruleId } of report.workflowResults) {
        const found = await call<{ affectedWorkflows: AffectedWorkflow[] }>('GET', `${path}/${ruleId}`);
        for (const { id, name, issues } of found.affectedWorkflows)
          if (workflowIds.includes(id))
            findings.push(`${name}: ${issues.map(({ title }) => title).join('; ')} (${ruleId})`);
      }
      return findings;
    },
    async saveCredential(type: string, data: IDataObject): Promise<CredentialRef> {
      const { id, name } = await call<CredentialRef>('POST', '/credentials', {
        name: 'QR Service',
        type,
        data: fromN8n(data),
      });
      return { id, name };
    },
    /** Tests a credential, as the editor does on saving. */
    testCredential: (type: string, data: IDataObject): Promise<{ status: string; message: string }> =>
      call('POST', '/credentials/test', { credentials: { id: '', name: 'Test', type, data: fromN8n(data) } }),
    /** Loads the options of a node's dropdown, as the editor does when it is opened. */
    loadOptions: (
      { type, typeVersion, parameters, credentials }: Omit<INode, 'id' | 'name' | 'position'>,
      method: string,
    ): Promise<INodePropertyOptions[]> =>
      call('POST', '/dynamic-node-parameters/options', {
        path: '',
        methodName: method,
        nodeTypeAndVersion: { name: type, version: typeVersion },
        currentNodeParameters: parameters,
        credentials,
      }),
    async saveWorkflow(workflow: WorkflowJson): Promise<string> {
      // The ID in the file isn't one of this server.
      const nodes = fromN8n(workflow.nodes);
      const { id } = await call<{ id: string }>('POST', '/workflows', { ...workflow, nodes, id: undefined });
      return id;
    },
    /** All workflows, without their nodes. */
    workflows: (): Promise<{ id: string; name: string }[]> => call('GET', '/workflows'),
    /** The latest version of a workflow. */
    workflow: (workflowId: string): Promise<WorkflowJson> => call('GET', `/workflows/${workflowId}`),
    /** Resolves when its triggers are active. @throws Error with the triggers' errors */
    async activate(workflowId: string): Promise<void> {
      const { versionId } = await call<{ versionId: string }>('GET', `/workflows/${workflowId}`);
      await call('POST', `/workflows/${workflowId}/activate`, { versionId });
      let { status, triggers } = await waitForPublication(workflowId);
      // n8n reads this from two tables without a lock, so a publication that is just ending may seem not to exist.
      if (status === 'not_published') ({ status, triggers } = await waitForPublication(workflowId));
      const problems = triggers.map(({ errorMessage }) => errorMessage).filter((message) => message !== null);
      if (status !== 'published') throw new Error(`The activation ${status}: ${problems.join('; ')}`);
    },
    /** Resolves when its triggers are removed. */
    async deactivate(workflowId: string): Promise<void> {
      await call('POST', `/workflows/${workflowId}/deactivate`, {});
      await waitForPublication(workflowId);
    },
    /** Runs a workflow manually from its trigger. Returns the execution's ID. */
    async run(workflowId: string, trigger: string): Promise<string> {
      const { executionId } = await call<{ executionId: string }>('POST', `/workflows/${workflowId}/run`, {
        triggerToStartFrom: { name: trigger },
      });
      return executionId;
    },
    /** Makes a webhook trigger listen for one test event, as the editor's "Execute workflow" does. */
    async listen(workflowId: string, trigger: string): Promise<void> {
      const { waitingForWebhook } = await call<{ waitingForWebhook?: boolean }>(
        'POST',
        `/workflows/${workflowId}/run`,
        { triggerToStartFrom: { name: trigger } },
      );
      if (waitingForWebhook !== true) throw new Error("The trigger isn't listening.");
    },
    /** Retries with the original workflow, as the executions list can. Returns the new execution's ID. */
    async retry(executionId: string): Promise<string> {
      const { id } = await call<{ id: string }>('POST', `/executions/${executionId}/retry`, {
        loadWorkflow: false,
      });
      return id;
    },
    cancel: (executionId: string): Promise<void> => call('POST', `/executions/${executionId}/stop`, {}),
    /** The latest 100 executions, newest first. */
    async executions(workflowId: string): Promise<ExecutionSummary[]> {
      const filter = encodeURIComponent(JSON.stringify({ workflowId }));
      const { results } = await call<{ results: ExecutionSummary[] }>(
        'GET',
        `/executions?filter=${filter}&limit=100`,
      );
      return results;
    },
    /** Number of successful executions. */
    async succeeded(workflowId: string): Promise<number> {
      const filter = encodeURIComponent(JSON.stringify({ workflowId, status: ['success'] }));
      const { count } = await call<{ count: number }>('GET', `/executions?filter=${filter}&limit=1`);
      return count;
    },
    async execution(executionId: string): Promise<Execution> {
      const { data, ...summary } = await call<ExecutionSummary & { data: string }>(
        'GET',
        `/executions/${executionId}`,
      );
      return { ...summary, ...readResult(parse(data) as ExecutionData | undefined) };
    },
    /** Content of a file created by an execution. */
    file: (id: string): Promise<Buffer> =>
      send('GET', `/binary-data?id=${encodeURIComponent(id)}&action=view`),
    /** Waits until an execution has ended. */
    async waitUntilEnded(executionId: string): Promise<Execution> {
      const startedAt = performance.now();
      for (;;) {
        const execution = await rest.execution(executionId).catch(ignoreConnectionReset);
        if (execution !== undefined && !RUNNING.has(execution.status)) return execution;
        // Polling loads the server, which matters when long runs are measured.
        await sleep(Math.min(100 + (performance.now() - startedAt) / 10, 2000));
      }
    },
  };
  return rest;
}

/** A very busy server resets connections, which doesn't mean that the execution failed. */
function ignoreConnectionReset(error: unknown): undefined {
  const { cause } = error as { cause?: { code?: string } };
  if (cause?.code !== 'ECONNRESET') throw error;
}

/** The fields of n8n's settings that are used here. Without a login, n8n only tells whether there is an owner. */
interface Settings {
  urlBaseWebhook: string;
  userManagement: { showSetupOnFirstLoad: boolean };
}

interface AffectedWorkflow {
  id: string;
  name: string;
  issues: { title: string }[];
}

interface PublicationStatus {
  status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
  triggers: { errorMessage: string | null }[];
}

/** The fields of an execution's data that are used here. */
interface ExecutionData {
  resultData: {
    /** Missing until the first node has run. */
    runData?: Record<
      string,
      { executionTime: number; data?: Record<string, (INodeExecutionData[] | null)[]> }[]
    >;
    error?: { message: string };
  };
}

/** Main outputs, or the output of a sub-node to its node. */
function itemsOf(outputs: Record<string, (INodeExecutionData[] | null)[]> = {}): INodeExecutionData[] {
  return Object.values(outputs).flatMap((all) => all.flatMap((output) => output ?? []));
}

/** There is no data until the execution has started. */
function readResult(data: ExecutionData | undefined): Pick<Execution, 'items' | 'durations' | 'error'> {
  if (data === undefined) return { items: {}, durations: {} };
  const { resultData } = data;
  const lastRuns = Object.entries(resultData.runData ?? {}).map(([node, runs]) => ({
    node,
    last: runs.at(-1),
  }));
  return {
    items: Object.fromEntries(lastRuns.map(({ node, last }) => [node, itemsOf(last?.data)])),
    durations: Object.fromEntries(lastRuns.map(({ node, last }) => [node, last?.executionTime ?? NaN])),
    ...omitUndefined({ error: resultData.error?.message }),
  };
}
