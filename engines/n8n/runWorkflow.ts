import { WorkflowExecute } from 'n8n-core';
import type {
  ExecutionError,
  ExecutionStatus,
  IDataObject,
  INodeExecutionData,
  IPinData,
  IRun,
  ITaskData,
  IWorkflowExecuteAdditionalData,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import type { Workflow } from './n8nWorkflow.ts';
import { createRunExecutionData, deepCopy } from './n8nWorkflow.ts';
import { nodeNamed, type Core, type WorkflowJson } from './Core.ts';

/** How to start and observe a run. */
export interface RunOptions {
  /** Default: the workflow's trigger. */
  startNode?: string;
  /** Output of the start node; overrides its pinned data. */
  triggerItems?: IDataObject[];
  /** Default `manual`. */
  mode?: WorkflowExecuteMode;
  onNodeStart?: (nodeName: string) => void;
  onNodeDone?: (nodeName: string, task: ITaskData) => void;
  /** Cancels the run. */
  signal?: AbortSignal;
}

/** Result of a run. */
export interface RunResult {
  status: ExecutionStatus;
  /** Set when a node failed and ended the run. */
  error?: ExecutionError;
  /** Items of each node's first output, over all its runs. */
  data: Record<string, INodeExecutionData[]>;
  /** The same for all outputs of each node. The error output is the last one. */
  outputs: Record<string, INodeExecutionData[][]>;
  /** n8n's own record of the run. */
  run: IRun;
}

/** Runs a workflow from its start node. Pinned data replaces the output of a node. */
export async function runWorkflow(
  core: Core,
  json: WorkflowJson,
  options: RunOptions = {},
): Promise<RunResult> {
  const workflow = core.workflow(json);
  const startNode =
    options.startNode === undefined ? workflow.getStartNode() : nodeNamed(workflow, options.startNode);
  const pinData = readPinData(json.pinData);
  if (options.triggerItems !== undefined && startNode !== undefined)
    pinData[startNode.name] = options.triggerItems.map((item) => ({ json: item }));
  const mode = options.mode ?? 'manual';
  const additionalData = core.additionalData(mode, json);
  return execute(additionalData, options, new WorkflowExecute(additionalData, mode), (run) =>
    run.run({ workflow, pinData, ...(startNode === undefined ? {} : { startNode }) }),
  );
}

/** Retries a failed run from the failed node, as "Retry" in n8n's executions list does. */
export async function retryRun(
  core: Core,
  json: WorkflowJson,
  failed: RunResult,
  options: RunOptions = {},
): Promise<RunResult> {
  const runExecutionData = deepCopy(failed.run.data);
  const { resultData } = runExecutionData;
  delete resultData.error;
  const { lastNodeExecuted } = resultData;
  if (lastNodeExecuted !== undefined) resultData.runData[lastNodeExecuted]?.pop();
  const additionalData = core.additionalData('retry', json);
  return execute(
    additionalData,
    options,
    new WorkflowExecute(additionalData, 'retry', runExecutionData),
    (run) => run.processRunExecutionData(core.workflow(json)),
  );
}

/** Resumes a run that waits, as n8n does when its time has come, from what n8n has stored of it. */
export async function resumeRun(core: Core, json: WorkflowJson, waiting: RunResult): Promise<RunResult> {
  const { mode } = waiting.run;
  const additionalData = core.additionalData(mode, json);
  const engine = new WorkflowExecute(additionalData, mode, deepCopy(waiting.run.data));
  return execute(additionalData, {}, engine, (run) => run.processRunExecutionData(core.workflow(json)));
}

/** Runs the nodes after a trigger that returned these items. */
export async function runFromTrigger(
  core: Core,
  json: WorkflowJson,
  workflow: Workflow,
  trigger: { nodeName: string; items: INodeExecutionData[][]; mode: WorkflowExecuteMode },
): Promise<RunResult> {
  const additionalData = core.additionalData(trigger.mode, json);
  const runExecutionData = createRunExecutionData({
    executionData: {
      nodeExecutionStack: [
        { node: nodeNamed(workflow, trigger.nodeName), data: { main: trigger.items }, source: null },
      ],
    },
  });
  return execute(
    additionalData,
    {},
    new WorkflowExecute(additionalData, trigger.mode, runExecutionData),
    (run) => run.processRunExecutionData(workflow),
  );
}

async function execute(
  additionalData: IWorkflowExecuteAdditionalData,
  { onNodeStart, onNodeDone, signal }: RunOptions,
  engine: WorkflowExecute,
  begin: (engine: WorkflowExecute) => ReturnType<WorkflowExecute['run']>,
): Promise<RunResult> {
  additionalData.hooks?.addHandler('nodeExecuteBefore', (name) => onNodeStart?.(name));
  additionalData.hooks?.addHandler('nodeExecuteAfter', (name, task) => onNodeDone?.(name, task));
  const running = begin(engine);
  const cancel = () => running.cancel();
  signal?.addEventListener('abort', cancel);
  try {
    return toResult(await running);
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

function toResult(run: IRun): RunResult {
  const { error, runData } = run.data.resultData;
  const outputs: RunResult['outputs'] = {};
  for (const [name, tasks] of Object.entries(runData)) {
    const main = tasks.map((task) => task.data?.['main'] ?? []);
    const count = Math.max(1, ...main.map((all) => all.length));
    outputs[name] = Array.from({ length: count }, (_, output) => main.flatMap((all) => all[output] ?? []));
  }
  return {
    status: run.status,
    ...(error === undefined ? {} : { error }),
    data: Object.fromEntries(Object.entries(outputs).map(([name, [first]]) => [name, first ?? []])),
    outputs,
    run,
  };
}

/** Exported workflows hold pinned items with or without a `json` wrapper. */
function readPinData(pinData: WorkflowJson['pinData']): IPinData {
  return Object.fromEntries(
    Object.entries(pinData ?? {}).map(([name, items]) => [
      name,
      items.map((item) => ('json' in item ? item : { json: item })),
    ]),
  );
}
