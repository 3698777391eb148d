import type { INodeProperties } from 'n8n-workflow';
import { API_PATH, BRAND } from '../../../core.ts';

/** The code that an operation works on: from the list, by id, or by its short link or API address. */
export const qrCodeIdProperty: INodeProperties = {
  displayName: 'QR Code',
  name: 'qrCodeId',
  type: 'resourceLocator',
  required: true,
  default: { mode: 'list', value: '' },
  description:
    'The QR code to work on: from the list, by its ID as Create and Get Many give it or by its short link',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a QR code…',
      typeOptions: { searchListMethod: 'searchQrCodes', searchable: true },
    },
    {
      displayName: 'By ID',
      name: 'id',
      type: 'string',
      placeholder: 'e.g. qr_7hK2pQ',
    },
    {
      displayName: 'By URL',
      name: 'url',
      type: 'string',
      placeholder: `e.g. ${BRAND.redirectUrl}/table-4-7hk2`,
      hint: `The short link, or the address in the API (…${API_PATH}/qr/ID)`,
      validation: [
        {
          type: 'regex',
          properties: {
            // With or without https://, as a short link is printed.
            regex: '^\\s*[^\\s/.:]+[.:][^\\s/]*/.+',
            errorMessage: 'This is neither a short link nor an address in the API',
          },
        },
      ],
    },
  ],
};
