import type { IExecuteFunctions, INode, INodeParameters, INodeType } from 'n8n-workflow';
import { createN8nEngine, type RunResult } from '../../../engines/n8n/index.ts';
import { NodeConnectionTypes } from '../../../engines/n8n/n8nWorkflow.ts';
import { PACKAGE_DIR, type World } from './world.ts';

/** What an AI agent of n8n sees of a tool. */
export interface Tool {
  name: string;
  description: string;
  schema: { shape: Record<string, { description?: string }> };
  invoke: (input: object) => Promise<string>;
}

const NODE_TYPE = 'n8n-nodes-qr-service.qrService';

/** The node as n8n's server makes a tool of one that is usable as such. */
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

/** Stands in for an agent: n8n gives it the connected tool, and it does with it what the test says. */
function agent(use: (tool: Tool) => Promise<void>): INodeType {
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
    async execute(this: IExecuteFunctions) {
      const [tool] = (await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Tool[];
      await use(tool!);
      return [this.getInputData()];
    },
  };
}

/** Connects the action node with these parameters to an agent and runs it. */
export async function runAgent(
  world: World,
  parameters: INodeParameters,
  use: (tool: Tool) => Promise<void>,
): Promise<RunResult> {
  const { type } = world.engine.loader.getNode('qrService');
  const engine = await createN8nEngine({
    packageDir: PACKAGE_DIR,
    credentials: { qrServiceApi: { baseUrl: world.emulator.url, apiKey: world.emulator.apiKey } },
    otherNodes: { [`${NODE_TYPE}Tool`]: asTool(type as INodeType), agent: agent(use) },
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
      node('QR Service', `${NODE_TYPE}Tool`, { resource: 'qrCode', ...parameters }),
    ],
    connections: {
      Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
      'QR Service': { ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]] },
    },
    pinData: { Start: [{ json: {} }] },
  });
}
