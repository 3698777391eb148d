import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from './n8nWorkflow.ts';

function description(name: string, about: Partial<INodeTypeDescription>): INodeTypeDescription {
  return {
    displayName: name,
    name,
    group: ['transform'],
    version: 1,
    description: `Stands in for n8n's own ${name}`,
    defaults: { name },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    properties: [],
    ...about,
  };
}

function passOn(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  return Promise.resolve([this.getInputData()]);
}

/** The nodes of `n8n-nodes-base` that workflows around the package need; that package itself is not installed. */
export const STAND_INS: Record<string, INodeType> = {
  'n8n-nodes-base.manualTrigger': {
    description: description('manualTrigger', { group: ['trigger'], inputs: [] }),
    execute: passOn,
  },
  'n8n-nodes-base.noOp': { description: description('noOp', {}), execute: passOn },
  'n8n-nodes-base.stickyNote': { description: description('stickyNote', { inputs: [], outputs: [] }) },
};
