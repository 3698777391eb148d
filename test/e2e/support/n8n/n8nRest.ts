import { setTimeout as sleep } from 'node:timers/promises';
import { omitUndefined } from '@qr-service/core/connector';
import { parse } from 'flatted';
import type { IDataObject, INode, INodeExecutionData, INodePropertyOptions } from 'n8n-workflow';
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
  /** Message of the error that ended the execution. */
  error?: string;
}

/** What the editor can do, through the same REST API. */
export type N8nRest = ReturnType<typeof connectRest>;

export const OWNER = {
  email: 'owner@example.com',
  password: 'Open-sesame-1',
  firstName: 'Olive',
  lastName: 'Owner',
};

const RUNNING = new Set(['new', 'running', 'waiting']);

/** Connects to the REST API that n8n's editor uses. */
export function connectRest(url: string) {
  let cookie = '';

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
    /** Signs in to a new server, as its owner. */
    signIn: (): Promise<void> => call('POST', '/owner/setup', OWNER),
    /** Whether n8n knows a type of node. */
    isKnown: (nodeType: string): Promise<boolean> =>
      call('POST', '/node-types', { nodeInfos: [{ name: nodeType, version: 1 }] }).then(
        () => true,
        () => false,
      ),
    async saveCredential(type: string, data: IDataObject): Promise<CredentialRef> {
      const { id, name } = await call<CredentialRef>('POST', '/credentials', {
        name: 'QR Service',
        type,
        data,
      });
      return { id, name };
    },
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
      const { id } = await call<{ id: string }>('POST', '/workflows', { ...workflow, id: undefined });
      return id;
    },
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
    /** Runs a workflow manually from its trigger: a webhook waits for one test event. Returns the execution's ID, if there is one. */
    async run(workflowId: string, trigger: string): Promise<string> {
      const { executionId } = await call<{ executionId: string }>('POST', `/workflows/${workflowId}/run`, {
        triggerToStartFrom: { name: trigger },
      });
      return executionId;
    },
    /** Saves a workflow, runs it from its trigger, and waits until it has ended. */
    runOnce: async (workflow: WorkflowJson, trigger: string): Promise<Execution> =>
      rest.waitUntilEnded(await rest.run(await rest.saveWorkflow(workflow), trigger)),
    /** Retries with the original workflow, as the executions list can. Returns the new execution's ID. */
    async retry(executionId: string): Promise<string> {
      const { id } = await call<{ id: string }>('POST', `/executions/${executionId}/retry`, {
        loadWorkflow: false,
      });
      return id;
    },
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

interface PublicationStatus {
  status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
  triggers: { errorMessage: string | null }[];
}

/** The fields of an execution's data that are used here. */
interface ExecutionData {
  resultData: {
    /** Missing until the first node has run. */
    runData?: Record<string, { data?: Record<string, (INodeExecutionData[] | null)[]> }[]>;
    error?: { message: string };
  };
}

/** Reads the items of the main outputs, or else of a sub-node's output. Before the execution starts, there are none. */
function readResult(data: ExecutionData | undefined): Pick<Execution, 'items' | 'error'> {
  const { runData = {}, error } = data?.resultData ?? {};
  const items = Object.entries(runData).map(([node, runs]) => {
    const outputs = Object.values(runs.at(-1)?.data ?? {}).flat();
    return [node, outputs.flatMap((output) => output ?? [])] as const;
  });
  return { items: Object.fromEntries(items), ...omitUndefined({ error: error?.message }) };
}
