import type { INodeProperties } from 'n8n-workflow';
import { API_PATH, BRAND, INPUTS } from '../../../deps.ts';
import { inputProperty, sentences } from '../../platform/inputProperty.ts';

/** What the node works on. */
export const resourceProperty: INodeProperties = {
  displayName: 'Resource',
  name: 'resource',
  type: 'options',
  noDataExpression: true,
  options: [
    { name: 'Account', value: 'account' },
    { name: 'QR Code', value: 'qrCode' },
    { name: 'Scan', value: 'scan' },
  ],
  default: 'qrCode',
};

/** The Operation parameter of a resource: each operation's value, name, action in the node picker, and description. */
export function operationProperty(
  usual: string,
  operations: [value: string, name: string, action: string, description: string][],
): INodeProperties {
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    options: operations.map(([value, name, action, description]) => ({ name, value, action, description })),
    default: usual,
  };
}

/**
 * The properties, shown only for a resource and some of its operations (none named: all of them) and otherwise under their
 * own conditions.
 */
export function showFor(
  resource: string,
  operations: string[],
  properties: INodeProperties[],
): INodeProperties[] {
  return properties.map((property) => ({
    ...property,
    displayOptions: {
      ...property.displayOptions,
      show: {
        // These first: n8n shows a property as soon as it reaches a condition on a parameter with an expression.
        resource: [resource],
        ...(operations.length === 0 ? {} : { operation: operations }),
        ...property.displayOptions?.show,
      },
    },
  }));
}

/** The code that an operation works on: from the list, by ID, or by its short link or its URL in the API. */
export const qrCodeIdProperty = inputProperty(INPUTS.qrCodeId, {
  description: 'Choose a QR code from the list, or use its ID or short link from an earlier node',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a QR code…',
      typeOptions: {
        searchListMethod: 'searchQrCodes',
        searchable: true,
      },
    },
    { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. qr_7hK2pQ' },
    {
      displayName: 'By URL',
      name: 'url',
      type: 'string',
      placeholder: `e.g. ${BRAND.redirectUrl}/table-4-7hk2`,
      hint: `Short link or API URL of the code (…${API_PATH}/qr/ID)`,
    },
  ],
});

export const returnAllProperty: INodeProperties = {
  displayName: 'Return All',
  name: 'returnAll',
  type: 'boolean',
  default: false,
  description: 'Whether to return all results or only up to a given limit',
};

export const limitProperty: INodeProperties = {
  displayName: 'Limit',
  name: 'limit',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 50,
  description: 'Max number of results to return',
  // Not `show` for false: if an imported workflow has Return All as text, n8n would then drop the limit.
  displayOptions: { hide: { returnAll: [true] } },
};

/** The Filters of a list operation. */
export const filtersProperty = (...filters: INodeProperties[]) => collection('Filter', filters);

/** The Options parameter of an operation. */
export const optionsProperty = (...options: INodeProperties[]) => collection('Option', options);

function collection(what: 'Filter' | 'Option', options: INodeProperties[]): INodeProperties {
  return {
    displayName: `${what}s`,
    name: `${what.toLowerCase()}s`,
    type: 'collection',
    placeholder: `Add ${what}`,
    default: {},
    options,
  };
}

/** Identifies a row across executions. */
export const deduplicationKeyOption = inputProperty(INPUTS.deduplicationKey, {
  placeholder: 'e.g. {{ $json.row_number }}',
  description: sentences(
    INPUTS.deduplicationKey.help,
    "Running the node again with the same key and input within 24 hours won't create a duplicate, even in a new execution.",
  ),
});

/** For the operations that write: a row can then be written back without another node's items. */
export const includeInputFieldsProperty: INodeProperties = {
  displayName: 'Include Input Fields',
  name: 'includeInputFields',
  type: 'boolean',
  default: false,
  description:
    "Whether to output the fields of the input item as well. If both have a field with another value, such as status, the item's own is in input_status.",
};
