import { Container } from '@n8n/di';
import { PollContext, TriggersAndPollers } from 'n8n-core';
import type {
  IDataObject,
  INodeExecutionData,
  IPollFunctions,
  Workflow,
  WorkflowActivateMode,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { deepCopy } from './n8nWorkflow.ts';
import { nodeNamed, type PackageHost, type WorkflowJson } from './PackageHost.ts';
import { runFromTrigger, type RunResult } from './runWorkflow.ts';

/** Items of one poll, and the execution that it started, if any. */
interface Tick {
  items: INodeExecutionData[];
  execution?: Promise<RunResult>;
}

/** A workflow's polling trigger. Its static data persists between polls, as in an active workflow. */
export type PollTrigger = ReturnType<typeof pollTrigger>;

/** How n8n runs polls. */
export interface PollOptions {
  /** Time limit that the poll sees, in milliseconds. Default: n8n's own for in-memory polls. */
  budgetMs?: number;
  /**
   * What runs the polls.
   * - `in memory` (default): static data stays in memory and is saved with an execution.
   * - `durable`: static data is loaded for each poll and saved with an execution.
   * - `durable cursors`: also saved after a poll without rows, except the one during activation.
   */
  scheduler?: 'in memory' | 'durable' | 'durable cursors';
  /** Whether n8n is from before 2.38, whose polls have neither a time limit to read nor a cursor to save. */
  isOld?: boolean;
}

/** Creates a workflow's polling trigger. The caller decides when it polls. */
export function pollTrigger(
  host: PackageHost,
  json: WorkflowJson,
  nodeName: string,
  staticData: IDataObject = {},
  { budgetMs, scheduler = 'in memory', isOld = false }: PollOptions = {},
) {
  let workflow = host.workflow(json, staticData);
  let saved = deepCopy(staticData);
  const load = () => (workflow = host.workflow(json, deepCopy(saved)));
  const save = () => (saved = deepCopy(workflow.staticData));
  const poll = async (
    mode: WorkflowExecuteMode,
    activation: WorkflowActivateMode,
    on: Workflow,
  ): Promise<INodeExecutionData[][] | null> => {
    const node = nodeNamed(on, nodeName);
    const commitCursor = () => {
      if (scheduler === 'durable cursors') save();
      return Promise.resolve();
    };
    const context = new PollContext(
      on,
      node,
      host.additionalData(mode, json),
      mode,
      activation,
      undefined,
      undefined,
      mode === 'manual' ? undefined : commitCursor,
      undefined,
      undefined,
      budgetMs === undefined ? undefined : () => budgetMs,
    );
    if (isOld) Object.assign(context, { __commitCursor: undefined, getPollBudgetMs: undefined });
    return Container.get(TriggersAndPollers).runPollFunction(on, node, context as unknown as IPollFunctions);
  };
  const scheduled = async (on: Workflow): Promise<Tick> => {
    const items = await poll('trigger', 'activate', on);
    if (items === null) return { items: [] };
    save();
    const execution = runFromTrigger(host, json, host.workflow(json), { nodeName, items, mode: 'trigger' });
    return { items: items[0] ?? [], execution };
  };
  return {
    /** The workflow's static data; the node's is under `node:<name>`. */
    get staticData(): IDataObject {
      return workflow.staticData;
    },
    /** Runs the poll that activation includes. */
    async activate(): Promise<Tick> {
      if (scheduler === 'durable cursors') load();
      const tick = await scheduled(workflow);
      if (scheduler !== 'durable cursors') save();
      return tick;
    },
    /** Runs a scheduled poll. */
    async tick(): Promise<Tick> {
      if (scheduler !== 'in memory') load();
      const tick = await scheduled(workflow);
      if (scheduler === 'durable cursors') save();
      return tick;
    },
    /**
     * Restores the static data that survives a restart of n8n: as it was after the activation or the last poll that
     * started an execution. n8n only saves it then.
     */
    restart: () => void load(),
    /** Runs a manual poll ("Fetch Test Event"). Its static data is discarded. */
    test: async () => (await poll('manual', 'manual', host.workflow(json)))?.[0] ?? [],
  };
}
