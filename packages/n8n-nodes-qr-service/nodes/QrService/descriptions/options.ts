import type { INodeProperties } from 'n8n-workflow';

/** How many items are worked on at once: n8n opens a connection a request, so this makes many rows fast. */
export const concurrencyOption = {
  displayName: 'Concurrency',
  name: 'concurrency',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 50, numberPrecision: 0 },
  default: 10,
  noDataExpression: true,
  description:
    'How many items are worked on at once. Results keep the order of the items. More is faster as long as the service’s rate limit allows it; with 1 the items are worked on one after the other.',
} satisfies INodeProperties;

/** What makes a row the same one in any execution. */
export const deduplicationKeyOption = {
  displayName: 'Deduplication Key',
  name: 'deduplicationKey',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.row_number }}',
  description:
    'Any text that is unique to this item, for example a row’s ID. Running the node again with the same key and the same input within 24 hours makes no second code, in a new execution neither.',
} satisfies INodeProperties;

/** The one Options parameter of an operation: its own options and those that all operations have. */
export function optionsProperty(own: INodeProperties[] = []): INodeProperties {
  return {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [...own, concurrencyOption].sort((a, b) => a.displayName.localeCompare(b.displayName)),
  };
}
