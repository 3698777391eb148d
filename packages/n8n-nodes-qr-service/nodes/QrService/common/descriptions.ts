import type { INodeProperties } from 'n8n-workflow';
import { ACTIONS, API_PATH, BRAND, INPUTS } from '../../../deps.ts';
import { inputProperty, sentences } from '../../platform/properties.ts';

/** What an action does, in n8n's style: "Create a …". */
export function describeAction(action: keyof typeof ACTIONS): string {
  const { command, object } = ACTIONS[action];
  return `${command} ${object}`;
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
      typeOptions: { searchListMethod: 'searchQrCodes', searchable: true },
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

/** Identifies a row across executions. */
export const deduplicationKeyOption = inputProperty(INPUTS.deduplicationKey, {
  placeholder: 'e.g. {{ $json.sku }}',
  description: sentences(
    INPUTS.deduplicationKey.help,
    "Running the node again with the same key and input within 24 hours won't create a duplicate, even in a new execution.",
  ),
});
