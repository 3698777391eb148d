import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes, UnexpectedError } from './n8nWorkflow.ts';

/** Rows of each table in this process, by the table's name, oldest first. */
const tables = new Map<string, { columns: string[]; rows: IDataObject[]; nextId: number }>();

type Condition = { keyName: string; condition?: 'eq' | 'neq' | 'lt'; keyValue: unknown };

const CONDITIONS = {
  eq: (value: unknown, other: unknown) => value === other,
  neq: (value: unknown, other: unknown) => value !== other,
  lt: (value: unknown, other: unknown) => (value as number) < (other as number),
};

/** Operations on rows, for each input item or for all at once. */
const OPERATIONS: Record<string, (this: IExecuteFunctions, index: number) => IDataObject[]> = {
  insert(index) {
    const table = tableOf(this, index);
    const { mappingMode, value } = this.getNodeParameter('columns', index) as {
      mappingMode: string;
      value: IDataObject;
    };
    const values = mappingMode === 'defineBelow' ? value : this.getInputData()[index]!.json;
    const unknown = Object.keys(values).find((name) => !table.columns.includes(name));
    if (unknown !== undefined) throw new UnexpectedError(`The data table has no column ${unknown}.`);
    const empty = Object.fromEntries(table.columns.map((name) => [name, null]));
    const createdAt = new Date(Date.now()).toISOString();
    const row = { ...empty, ...values, id: table.nextId++, createdAt };
    table.rows.push(row);
    return [row];
  },
  get(index) {
    const rows = tableOf(this, index).rows.filter(matcher(this, index));
    const column = this.getNodeParameter('orderByColumn', index) as string;
    const sign = this.getNodeParameter('orderByDirection', index) === 'DESC' ? -1 : 1;
    rows.sort((a, b) => sign * (Number(a[column]) - Number(b[column])));
    return rows.slice(0, this.getNodeParameter('limit', index));
  },
  deleteRows(index) {
    const table = tableOf(this, index);
    const matches = matcher(this, index);
    const deleted = table.rows.filter(matches);
    table.rows = table.rows.filter((row) => !deleted.includes(row));
    return deleted;
  },
  create(index) {
    const name = this.getNodeParameter('tableName', index) as string;
    const { column } = this.getNodeParameter('columns', index) as unknown as { column: { name: string }[] };
    if (!tables.has(name))
      tables.set(name, { columns: column.map((each) => each.name), rows: [], nextId: 1 });
    return [{ name }];
  },
};

function tableOf(context: IExecuteFunctions, index: number) {
  const { value } = context.getNodeParameter('dataTableId', index) as { value: string };
  const table = tables.get(value);
  if (table === undefined) throw new UnexpectedError(`Data table with name "${value}" not found`);
  return table;
}

/** Whether a row meets all conditions, or any if the node doesn't say. As in n8n, a date is compared as a time. */
function matcher(context: IExecuteFunctions, index: number): (row: IDataObject) => boolean {
  const { conditions } = context.getNodeParameter('filters', index) as unknown as { conditions: Condition[] };
  const comparable = (column: string, value: unknown) =>
    column === 'createdAt' ? Date.parse(value as string) : value;
  const isAll = context.getNodeParameter('matchType', index) === 'allConditions';
  return (row) => {
    const meets = ({ keyName, condition = 'eq', keyValue }: Condition) =>
      CONDITIONS[condition](comparable(keyName, row[keyName]), comparable(keyName, keyValue));
    return isAll ? conditions.every(meets) : conditions.some(meets);
  };
}

const parameter = (name: string, initial: string | number | object) => ({
  displayName: name,
  name,
  type: typeof initial === 'object' ? ('json' as const) : ('string' as const),
  default: initial as string,
});

/**
 * Stands in for n8n's data tables, as far as the examples use them. Tables live as long as this process. As in a
 * database, each row is added at once, and other executions may run between two nodes.
 */
export const dataTable: INodeType = {
  description: {
    displayName: 'dataTable',
    name: 'dataTable',
    group: ['transform'],
    version: 1,
    description: "Stands in for n8n's own dataTable",
    defaults: { name: 'dataTable' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    properties: [
      parameter('operation', 'insert'),
      parameter('dataTableId', {}),
      parameter('tableName', ''),
      parameter('columns', {}),
      parameter('matchType', 'anyCondition'),
      parameter('filters', {}),
      parameter('orderByColumn', 'id'),
      parameter('orderByDirection', 'ASC'),
      parameter('limit', 50),
    ],
  },
  execute(this: IExecuteFunctions) {
    const operation: string = this.getNodeParameter('operation', 0, '');
    const run = OPERATIONS[operation];
    if (run === undefined) throw new UnexpectedError(`The data table has no operation ${operation}.`);
    const items = this.getInputData().flatMap((_item, index): INodeExecutionData[] =>
      run.call(this, index).map((json) => ({ json: { ...json }, pairedItem: { item: index } })),
    );
    return Promise.resolve([items]);
  },
};
