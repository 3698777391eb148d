import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  EngineRequest,
  EngineResponse,
  IExecuteFunctions,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
} from 'n8n-workflow';
import { createN8nEngine, type RunResult } from '../../../engines/n8n/index.ts';
import { NodeConnectionTypes } from '../../../engines/n8n/n8nWorkflow.ts';
import { PACKAGE_DIR, type World } from './world.ts';

/** What an n8n AI agent sees of a tool. */
export interface Tool {
  name: string;
  description: string;
  schema: { shape: Record<string, { description?: string }> };
  /** What the agent's model receives. A `subNode` tool throws its error instead. */
  invoke: (input: object) => Promise<string>;
}

/**
 * How n8n runs a tool: for its AI Agent from version 3 like any other node (`engine`); for older agents, for agents that
 * are tools themselves and for its MCP server inside of their node (`subNode`).
 */
export const TOOL_RUNS = ['engine', 'subNode'] as const;
type ToolRun = (typeof TOOL_RUNS)[number];

/** How the tool is run. */
export interface AgentOptions {
  /** Default `subNode`. */
  toolRun?: ToolRun;
  /** Settings of the tool's node. */
  settings?: Partial<INode>;
  /** The key that the tool uses. */
  apiKey?: string;
  /** Where its credential allows codes to point. Default everywhere. */
  allowedTargets?: string;
}

const NODE_TYPE = 'n8n-nodes-qr-service.qrService';
const TOOL = 'QR Service';

/** The node, converted to a tool as n8n's server does. */
function asTool(nodeType: INodeType): INodeType {
  const { usableAsTool, ...description } = nodeType.description;
  if (usableAsTool !== true) throw new Error('The node is not usable as a tool.');
  return Object.assign(Object.create(nodeType) as INodeType, {
    description: {
      ...description,
      name: `${description.name}Tool`,
      inputs: [],
      outputs: [NodeConnectionTypes.AiTool],
    },
  });
}

type Execute = (
  this: IExecuteFunctions,
  response?: EngineResponse,
) => Promise<INodeExecutionData[][] | EngineRequest>;

/** Stands in for an agent: n8n passes it the connected tool, and the test decides how to use it. */
function agent(execute: Execute): INodeType {
  return {
    description: {
      displayName: 'Agent',
      name: 'agent',
      group: ['transform'],
      version: 1,
      description: 'Uses a tool',
      defaults: { name: 'Agent' },
      inputs: [NodeConnectionTypes.Main, { type: NodeConnectionTypes.AiTool }],
      outputs: [NodeConnectionTypes.Main],
      properties: [],
    },
    execute: execute,
  };
}

type Use = (tool: Tool) => Promise<void>;

async function connectedTool(context: IExecuteFunctions): Promise<Tool> {
  const [tool] = (await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Tool[];
  return tool!;
}

function insideItsNode(use: Use): Execute {
  return async function (this: IExecuteFunctions) {
    await use(await connectedTool(this));
    return [this.getInputData()];
  };
}

/** Requests each call from n8n, is run again with the result, and passes it to the model as n8n's own agent does. */
function throughTheEngine(use: Use): Execute {
  interface Call {
    id: string;
    input: object;
    resolve: (answer: string) => void;
  }
  let count = 0;
  let waiting: Call[] = [];
  let sent: Call[] = [];
  let running: Promise<'done'> | undefined;
  return async function (this: IExecuteFunctions, response?: EngineResponse) {
    for (const { action, data } of response?.actionResponses ?? [])
      sent
        .find(({ id }) => id === action.id)
        ?.resolve(
          JSON.stringify(data.data?.[NodeConnectionTypes.AiTool]?.[0]?.map(({ json }) => json) ?? ''),
        );
    if (running === undefined) {
      const tool = await connectedTool(this);
      const invoke = (input: object) =>
        new Promise<string>((resolve) => void waiting.push({ id: `call_${++count}`, input, resolve }));
      const { name, description, schema } = tool;
      running = use({ name, description, schema, invoke }).then(() => 'done');
    }
    while (waiting.length === 0)
      if ((await Promise.race([running, nextTurn('running')])) === 'done') return [this.getInputData()];
    sent = waiting;
    waiting = [];
    const actions = sent.map(({ id, input }) => ({
      actionType: 'ExecutionNodeAction' as const,
      nodeName: TOOL,
      input: input as EngineRequest['actions'][number]['input'],
      type: NodeConnectionTypes.AiTool,
      id,
      metadata: { itemIndex: 0 },
    }));
    return { actions, metadata: {} };
  };
}

/** Connects the action node with these parameters to an agent and runs it. */
export async function runAgent(
  world: World,
  parameters: INodeParameters,
  use: Use,
  {
    toolRun = 'subNode',
    settings = {},
    apiKey = world.emulator.apiKey,
    allowedTargets = '',
  }: AgentOptions = {},
): Promise<RunResult> {
  const { type } = world.engine.loader.getNode('qrService');
  const execute = toolRun === 'engine' ? throughTheEngine(use) : insideItsNode(use);
  const engine = await createN8nEngine({
    packageDir: PACKAGE_DIR,
    credentials: { qrServiceApi: { baseUrl: world.emulator.url, apiKey, allowedTargets } },
    otherNodes: { [`${NODE_TYPE}Tool`]: asTool(type as INodeType), agent: agent(execute) },
  });
  const node = (name: string, nodeType: string, own: INodeParameters = {}): INode => ({
    id: name,
    name,
    type: nodeType,
    typeVersion: 1,
    position: [0, 0],
    parameters: own,
  });
  return engine.runWorkflow({
    id: 'agent',
    nodes: [
      node('Start', 'n8n-nodes-base.manualTrigger'),
      node('Agent', 'agent'),
      { ...node(TOOL, `${NODE_TYPE}Tool`, { resource: 'qrCode', ...parameters }), ...settings },
    ],
    connections: {
      Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
      [TOOL]: { ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]] },
    },
    pinData: { Start: [{ json: {} }] },
  });
}
