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

/** Sets up a workflow's polling trigger; the caller is its clock. */
export function pollTrigger(
  core: Core,
  json: WorkflowJson,
  nodeName: string,
  staticData: IDataObject = {},
): PollTrigger {
  let workflow = core.workflow(json, staticData);
  let saved = deepCopy(staticData);
  const poll = async (
    mode: WorkflowExecuteMode,
    activation: WorkflowActivateMode,
    on: Workflow,
  ): Promise<INodeExecutionData[][] | null> => {
    const node = nodeNamed(on, nodeName);
    const context = new PollContext(on, node, core.additionalData(mode, json), mode, activation);
    return Container.get(TriggersAndPollers).runPollFunction(on, node, context as unknown as IPollFunctions);
  };
  const scheduled = async (on: Workflow): Promise<Tick> => {
    const items = await poll('trigger', 'activate', on);
    if (items === null) return { items: [] };
    saved = deepCopy(on.staticData);
    const execution = runFromTrigger(core, json, core.workflow(json), { nodeName, items, mode: 'trigger' });
    return { items: items[0] ?? [], execution };
  };
  return {
    get staticData() {
      return workflow.staticData;
    },
    async activate() {
      const tick = await scheduled(workflow);
      saved = deepCopy(workflow.staticData);
      return tick;
    },
    tick: () => scheduled(workflow),
    restart() {
      workflow = core.workflow(json, deepCopy(saved));
    },
    test: async () => (await poll('manual', 'manual', core.workflow(json)))?.[0] ?? [],
  };
}
