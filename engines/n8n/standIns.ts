import { compileFunction } from 'node:vm';
import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
  INodeType,
  INodeTypeDescription,
  NodeParameterValueType,
} from 'n8n-workflow';
import { dataTable } from './dataTable.ts';
import { NodeConnectionTypes, UnexpectedError } from './n8nWorkflow.ts';

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

/** A parameter that is only read. n8n drops parameters that the node type does not describe. */
const parameter = (name: string, initial: NodeParameterValueType = ''): INodeProperties => ({
  displayName: name,
  name,
  type: typeof initial === 'object' ? 'json' : 'string',
  default: initial,
});

function passThrough(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  return Promise.resolve([this.getInputData()]);
}

/** A node that would send something to a third party. It outputs its parameters instead. */
function recordingNode(name: string, parameters: readonly string[]): INodeType {
  return {
    description: description(name, { properties: parameters.map((key) => parameter(key)) }),
    execute(this: IExecuteFunctions) {
      const sent = this.getInputData().map((_item, itemIndex) => ({
        json: Object.fromEntries(
          parameters.map((key) => [key, this.getNodeParameter(key, itemIndex, '') as IDataObject]),
        ),
        pairedItem: { item: itemIndex },
      }));
      return Promise.resolve([sent]);
    },
  };
}

/** Outputs the rows that it would write: the mapped columns, or the items unchanged. */
const tableNode = (name: string): INodeType => ({
  description: description(name, {
    properties: [parameter('operation', 'read'), parameter('columns', { mappingMode: 'autoMapInputData' })],
  }),
  execute(this: IExecuteFunctions) {
    const rows = this.getInputData().map((item, itemIndex) => {
      const columns = this.getNodeParameter('columns', itemIndex, {}) as {
        mappingMode?: string;
        value?: IDataObject;
      };
      const json = columns.mappingMode === 'defineBelow' ? (columns.value ?? {}) : item.json;
      return { json, pairedItem: { item: itemIndex } };
    });
    return Promise.resolve([rows]);
  },
});

/** Adds the link of the file that it would upload. */
const googleDrive: INodeType = {
  description: description('googleDrive', {
    properties: [parameter('name'), parameter('inputDataFieldName', 'data')],
  }),
  execute(this: IExecuteFunctions) {
    const files = this.getInputData().map((_item, itemIndex) => {
      this.helpers.assertBinaryData(
        itemIndex,
        this.getNodeParameter('inputDataFieldName', itemIndex) as string,
      );
      const name = this.getNodeParameter('name', itemIndex) as string;
      const webViewLink = `https://drive.google.com/file/d/${name}/view`;
      return { json: { name, webViewLink }, pairedItem: { item: itemIndex } };
    });
    return Promise.resolve([files]);
  },
};

const conditions: INodeProperties = {
  displayName: 'Conditions',
  name: 'conditions',
  type: 'filter',
  default: {},
  typeOptions: { filter: { version: 2, caseSensitive: true, typeValidation: 'loose' } },
};

/** Splits the items into those that meet the conditions and the others. n8n's engine evaluates the conditions itself. */
function split(this: IExecuteFunctions): INodeExecutionData[][] {
  const meets = (_item: INodeExecutionData, itemIndex: number) =>
    this.getNodeParameter('conditions', itemIndex, false, { extractValue: true }) === true;
  const items = this.getInputData().map((item, index) => ({ ...item, pairedItem: { item: index } }));
  const kept = items.filter(meets);
  return [kept, items.filter((item) => !kept.includes(item))];
}

const filter: INodeType = {
  description: description('filter', { properties: [conditions] }),
  execute(this: IExecuteFunctions) {
    return Promise.resolve(split.call(this).slice(0, 1));
  },
};

const twoOutputs = { outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main] };

const ifNode: INodeType = {
  description: description('if', { ...twoOutputs, properties: [conditions] }),
  execute(this: IExecuteFunctions) {
    return Promise.resolve(split.call(this));
  },
};

/** Outputs one batch after the other. After the last, outputs all items that the loop returned. */
const splitInBatches: INodeType = {
  description: description('splitInBatches', { ...twoOutputs, properties: [parameter('batchSize', 1)] }),
  execute(this: IExecuteFunctions) {
    const context = this.getContext('node') as {
      waiting?: INodeExecutionData[];
      done?: INodeExecutionData[];
    };
    const items = this.getInputData();
    if (context.waiting === undefined) context.waiting = [...items];
    else (context.done ??= []).push(...items);
    const batch = context.waiting.splice(0, Number(this.getNodeParameter('batchSize', 0)));
    const output = batch.map(({ json }, item) => ({ json, pairedItem: { item } }));
    return Promise.resolve(batch.length > 0 ? [[], output] : [context.done ?? [], []]);
  },
};

/** Runs JavaScript once for all items, with the part of n8n's variables that the tests' workflows use. */
const code: INodeType = {
  description: description('code', { properties: [parameter('jsCode')] }),
  execute(this: IExecuteFunctions) {
    const { $, $input, DateTime } = this.getWorkflowDataProxy(0);
    const run = compileFunction(this.getNodeParameter('jsCode', 0) as string, ['$', '$input', 'DateTime']);
    return Promise.resolve([run($, $input, DateTime) as INodeExecutionData[]]);
  },
};

/** Ends the execution with an error. */
const stopAndError: INodeType = {
  description: description('stopAndError', { outputs: [], properties: [parameter('errorMessage')] }),
  execute(this: IExecuteFunctions) {
    throw new UnexpectedError(this.getNodeParameter('errorMessage', 0) as string);
  },
};

/** Appends the items of two inputs. */
const merge: INodeType = {
  description: description('merge', { inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main] }),
  execute(this: IExecuteFunctions) {
    return Promise.resolve([[...this.getInputData(0), ...this.getInputData(1)]]);
  },
};

/** Outputs only the assigned fields. n8n's engine evaluates the expressions itself. */
const set: INodeType = {
  description: description('set', { properties: [parameter('assignments', {})] }),
  execute(this: IExecuteFunctions) {
    const rows = this.getInputData().map((_item, itemIndex) => {
      const { assignments } = this.getNodeParameter('assignments', itemIndex) as {
        assignments: { name: string; value: NodeParameterValueType }[];
      };
      const json = Object.fromEntries(assignments.map(({ name, value }) => [name, value])) as IDataObject;
      return { json, pairedItem: { item: itemIndex } };
    });
    return Promise.resolve([rows]);
  },
};

/** Values that Remove Duplicates has seen in this process, by workflow and node. */
const seenValues = new Map<string, Set<string>>();

/** Keeps items that no earlier execution had, or clears the history: that of the node, or of the whole workflow. */
const removeDuplicates: INodeType = {
  description: description('removeDuplicates', {
    properties: [parameter('operation'), parameter('dedupeValue'), parameter('options', {})],
  }),
  execute(this: IExecuteFunctions) {
    const isShared = this.getNodeParameter('options.scope', 0, 'node') === 'workflow';
    const scope = JSON.stringify([this.getWorkflow().id, isShared || this.getNode().name]);
    const items = this.getInputData();
    if (this.getNodeParameter('operation', 0) === 'clearDeduplicationHistory') {
      seenValues.delete(scope);
      return Promise.resolve([items]);
    }
    const seen = seenValues.get(scope) ?? new Set();
    seenValues.set(scope, seen);
    const kept = items.filter((_item, itemIndex) => {
      const value = this.getNodeParameter('dedupeValue', itemIndex) as string;
      const isNew = !seen.has(value);
      seen.add(value);
      return isNew;
    });
    return Promise.resolve([kept]);
  },
};

const UNITS_MS = { seconds: 1000, minutes: 60_000 };

/** Puts the execution to wait, as n8n's own does for more than 65 seconds. Waits for no shorter time. */
const wait: INodeType = {
  description: description('wait', { properties: [parameter('amount', 5), parameter('unit', 'seconds')] }),
  async execute(this: IExecuteFunctions) {
    const unit = this.getNodeParameter('unit', 0) as keyof typeof UNITS_MS;
    const ms = (this.getNodeParameter('amount', 0) as number) * UNITS_MS[unit];
    if (ms > 65_000) await this.putExecutionToWait(new Date(Date.now() + ms));
    return [this.getInputData()];
  },
};

/** Stand-ins for the nodes of `n8n-nodes-base` that the tests' workflows use. That package isn't installed. */
export const STAND_INS: Record<string, INodeType> = {
  'n8n-nodes-base.airtable': tableNode('airtable'),
  'n8n-nodes-base.code': code,
  'n8n-nodes-base.dataTable': dataTable,
  'n8n-nodes-base.emailSend': recordingNode('emailSend', ['toEmail', 'subject', 'text', 'html']),
  // Outputs what it would pass to the other workflow. The test passes it on.
  'n8n-nodes-base.executeWorkflow': { description: description('executeWorkflow', {}), execute: passThrough },
  'n8n-nodes-base.executeWorkflowTrigger': {
    description: description('executeWorkflowTrigger', { group: ['trigger'], inputs: [] }),
    execute: passThrough,
  },
  'n8n-nodes-base.filter': filter,
  'n8n-nodes-base.formTrigger': {
    description: description('formTrigger', { group: ['trigger'], inputs: [] }),
    execute: passThrough,
  },
  'n8n-nodes-base.googleDrive': googleDrive,
  'n8n-nodes-base.googleSheets': tableNode('googleSheets'),
  'n8n-nodes-base.hubspot': recordingNode('hubspot', [
    'resource',
    'operation',
    'type',
    'dueDate',
    'metadata',
    'dealId',
    'updateFields',
  ]),
  'n8n-nodes-base.if': ifNode,
  'n8n-nodes-base.manualTrigger': {
    description: description('manualTrigger', { group: ['trigger'], inputs: [] }),
    execute: passThrough,
  },
  'n8n-nodes-base.merge': merge,
  'n8n-nodes-base.noOp': { description: description('noOp', {}), execute: passThrough },
  'n8n-nodes-base.removeDuplicates': removeDuplicates,
  'n8n-nodes-base.scheduleTrigger': {
    description: description('scheduleTrigger', { group: ['trigger'], inputs: [] }),
    execute: passThrough,
  },
  'n8n-nodes-base.set': set,
  'n8n-nodes-base.slack': recordingNode('slack', ['select', 'channelId', 'text']),
  'n8n-nodes-base.splitInBatches': splitInBatches,
  'n8n-nodes-base.stickyNote': { description: description('stickyNote', { inputs: [], outputs: [] }) },
  'n8n-nodes-base.stopAndError': stopAndError,
  'n8n-nodes-base.wait': wait,
};
