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
import { nodeNamed, type Core, type WorkflowJson } from './Core.ts';
import { deepCopy } from './n8nWorkflow.ts';
import { runFromTrigger, type RunResult } from './runWorkflow.ts';

/** What one tick found, and the execution that it started, if any. */
export interface Tick {
  items: INodeExecutionData[];
  execution?: Promise<RunResult>;
}

/** The polling trigger of a workflow. Its static data outlives the ticks, as in an active workflow. */
export interface PollTrigger {
  /** The workflow's static data: the node's own under `node:<name>`. */
  readonly staticData: IDataObject;
  /** The poll during activation. */
  activate(): Promise<Tick>;
  /** A scheduled poll. */
  tick(): Promise<Tick>;
  /**
   * What a restart of n8n leaves: static data as it was after the activation or the last tick that started an
   * execution, since n8n saves it only then.
   */
  restart(): void;
  /** A manual run ("Fetch Test Event"), whose static data is thrown away. */
  test(): Promise<INodeExecutionData[]>;
}

/** How n8n runs polls. */
export interface PollOptions {
  /** Milliseconds that a poll is told to have. By default n8n's own, as it runs polls in memory. */
  budgetMs?: number;
  /**
   * Who runs the polls: n8n's process (default), which keeps static data in memory and saves it with an execution; or
   * its durable scheduler, which loads it for each poll and saves it with an execution; or that one with
   * durable cursors, which also saves it after a poll without rows, unless it is the one of the activation.
   */
  scheduler?: 'in memory' | 'durable' | 'durable cursors';
}

/** Sets up a workflow's polling trigger; the caller is its clock. */
export function pollTrigger(
  core: Core,
  json: WorkflowJson,
  nodeName: string,
  staticData: IDataObject = {},
  { budgetMs, scheduler = 'in memory' }: PollOptions = {},
): PollTrigger {
  let workflow = core.workflow(json, staticData);
  let saved = deepCopy(staticData);
  const load = () => (workflow = core.workflow(json, deepCopy(saved)));
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
      core.additionalData(mode, json),
      mode,
      activation,
      undefined,
      undefined,
      mode === 'manual' ? undefined : commitCursor,
      undefined,
      undefined,
      budgetMs === undefined ? undefined : () => budgetMs,
    );
    return Container.get(TriggersAndPollers).runPollFunction(on, node, context as unknown as IPollFunctions);
  };
  const scheduled = async (on: Workflow): Promise<Tick> => {
    const items = await poll('trigger', 'activate', on);
    if (items === null) return { items: [] };
    save();
    const execution = runFromTrigger(core, json, core.workflow(json), { nodeName, items, mode: 'trigger' });
    return { items: items[0] ?? [], execution };
  };
  return {
    get staticData() {
      return workflow.staticData;
    },
    async activate() {
      if (scheduler === 'durable cursors') load();
      const tick = await scheduled(workflow);
      if (scheduler !== 'durable cursors') save();
      return tick;
    },
    async tick() {
      if (scheduler !== 'in memory') load();
      const tick = await scheduled(workflow);
      if (scheduler === 'durable cursors') save();
      return tick;
    },
    restart: () => void load(),
    test: async () => (await poll('manual', 'manual', core.workflow(json)))?.[0] ?? [],
  };
}
