import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
  INodeType,
  NodeParameterValueType,
} from 'n8n-workflow';
import { NodeConnectionTypes } from './n8nWorkflow.ts';

type Outputs = INodeExecutionData[][];

/** A node type with an `execute` that returns at once. n8n drops parameters that a node type doesn't describe. */
function nodeType(
  name: string,
  properties: INodeProperties[],
  execute: (context: IExecuteFunctions) => Outputs,
): INodeType {
  return {
    description: {
      displayName: name,
      name,
      group: ['transform'],
      version: 1,
      description: `Stands in for n8n's own ${name}`,
      defaults: { name },
      inputs: [NodeConnectionTypes.Main],
      outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
      properties,
    },
    execute(this: IExecuteFunctions) {
      return Promise.resolve(execute(this));
    },
  };
}

const parameter = (name: string, initial: NodeParameterValueType = ''): INodeProperties => ({
  displayName: name,
  name,
  type: typeof initial === 'object' ? 'json' : 'string',
  default: initial,
});

/** An item for each input item, paired with it. */
function eachItem(context: IExecuteFunctions, read: (index: number) => IDataObject): Outputs {
  return [context.getInputData().map((_item, item) => ({ json: read(item), pairedItem: { item } }))];
}

/** Outputs the rows that it would write: the mapped columns, or the items unchanged. */
const googleSheets = nodeType('googleSheets', [parameter('columns', {})], (context) =>
  eachItem(context, (index) => {
    const { mappingMode, value } = context.getNodeParameter('columns', index) as IDataObject;
    return mappingMode === 'defineBelow' ? (value as IDataObject) : context.getInputData()[index]!.json;
  }),
);

const conditions: INodeProperties = {
  displayName: 'Conditions',
  name: 'conditions',
  type: 'filter',
  default: {},
  typeOptions: { filter: { version: 2, caseSensitive: true, typeValidation: 'loose' } },
};

/** Outputs the items that meet the conditions, which n8n's engine evaluates itself. */
const filter = nodeType('filter', [conditions], (context) => {
  const items = context.getInputData().map((item, index) => ({ ...item, pairedItem: { item: index } }));
  return [
    items.filter((_item, index) =>
      context.getNodeParameter('conditions', index, false, { extractValue: true }),
    ),
  ];
});

const STAND_INS: Record<string, INodeType> = {
  filter,
  googleSheets,
};

/** Passes its items on. Good enough for triggers, and for nodes that no test looks at. */
const passOn = nodeType('passOn', [], (context) => [context.getInputData()]);

const PREFIX = 'n8n-nodes-base.';

/** A stand-in for one of n8n's own nodes, which aren't installed. Undefined for nodes of other packages. */
export function standIn(type: string): INodeType | undefined {
  return type.startsWith(PREFIX) ? (STAND_INS[type.slice(PREFIX.length)] ?? passOn) : undefined;
}
