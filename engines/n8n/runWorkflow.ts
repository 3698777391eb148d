import { WorkflowExecute } from 'n8n-core';
import type {
  ExecutionError,
  ExecutionStatus,
  IDataObject,
  INodeExecutionData,
  IPinData,
  IRun,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData, deepCopy, type Workflow } from './n8nWorkflow.ts';
import { nodeNamed, type PackageHost, type WorkflowJson } from './PackageHost.ts';

/** How to start and observe a run. */
export interface RunOptions {
  /** Default: the workflow's trigger. */
  startNode?: string;
  /** Output of the start node; overrides its pinned data. */
  triggerItems?: IDataObject[];
  /** Default `manual`. */
  mode?: WorkflowExecuteMode;
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
  host: PackageHost,
  json: WorkflowJson,
  { startNode: named, triggerItems, mode = 'manual', signal }: RunOptions = {},
): Promise<RunResult> {
  const workflow = host.workflow(json);
  const startNode = named === undefined ? workflow.getStartNode() : nodeNamed(workflow, named);
  const pinData = readPinData(json.pinData);
  if (triggerItems !== undefined && startNode !== undefined)
    pinData[startNode.name] = triggerItems.map((item) => ({ json: item }));
  const engine = new WorkflowExecute(host.additionalData(mode, json), mode);
  return finish(engine.run({ workflow, pinData, ...(startNode === undefined ? {} : { startNode }) }), signal);
}

/** Retries a failed run from the failed node, as "Retry" in n8n's executions list does. */
export async function retryRun(host: PackageHost, json: WorkflowJson, failed: RunResult): Promise<RunResult> {
  const runExecutionData = deepCopy(failed.run.data);
  const { resultData } = runExecutionData;
  delete resultData.error;
  const { lastNodeExecuted } = resultData;
  if (lastNodeExecuted !== undefined) resultData.runData[lastNodeExecuted]?.pop();
  const engine = new WorkflowExecute(host.additionalData('retry', json), 'retry', runExecutionData);
  return finish(engine.processRunExecutionData(host.workflow(json)));
}

/** Runs the nodes after a trigger that returned these items. */
export async function runFromTrigger(
  host: PackageHost,
  json: WorkflowJson,
  workflow: Workflow,
  { nodeName, items, mode }: { nodeName: string; items: INodeExecutionData[][]; mode: WorkflowExecuteMode },
): Promise<RunResult> {
  const trigger = { node: nodeNamed(workflow, nodeName), data: { main: items }, source: null };
  const runExecutionData = createRunExecutionData({ executionData: { nodeExecutionStack: [trigger] } });
  const engine = new WorkflowExecute(host.additionalData(mode, json), mode, runExecutionData);
  return finish(engine.processRunExecutionData(workflow));
}

async function finish(running: ReturnType<WorkflowExecute['run']>, signal?: AbortSignal): Promise<RunResult> {
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
