import type { INodeProperties } from 'n8n-workflow';
import { INPUTS } from '../../../core.ts';
import { inputProperty, sentences } from '../../shared/inputProperty.ts';

/** How many items are processed at once. n8n opens a connection for each request, so concurrency speeds up many rows. */
export const concurrencyOption = {
  displayName: 'Concurrency',
  name: 'concurrency',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 50, numberPrecision: 0 },
  default: 10,
  noDataExpression: true,
  description:
    "How many items to process at once. More is faster, up to the service's rate limit. Results keep the order of the items.",
} satisfies INodeProperties;

/** Identifies a row across executions. */
export const deduplicationKeyOption = inputProperty(INPUTS.deduplicationKey, {
  placeholder: 'e.g. {{ $json.row_number }}',
  description: sentences(
    INPUTS.deduplicationKey.help,
    "Running the node again with the same key and input within 24 hours won't create a duplicate, even in a new execution.",
  ),
});

/** For the operations that write: a row can then be written back without another node's items. */
export const includeInputFieldsOption = {
  displayName: 'Include Input Fields',
  name: 'includeInputFields',
  type: 'boolean',
  default: false,
  description:
    "Whether to output the fields of the input item as well. If both have a field, it has the result's value.",
} satisfies INodeProperties;

/** The Options parameter of an operation: its own options and the common ones. */
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
