import { API_PATH, BRAND, INPUTS } from '../../../core.ts';
import { inputProperty } from '../../shared/inputProperty.ts';

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
        slowLoadNotice: { message: 'If this takes too long, use By ID or By URL instead.', timeout: 10_000 },
      },
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
      hint: `Short link or API URL of the code (…${API_PATH}/qr/ID)`,
      validation: [
        {
          type: 'regex',
          properties: {
            // With or without https://, as a short link is printed.
            regex: '^\\s*[^\\s/.:]+[.:][^\\s/]*/.+',
            errorMessage: 'Not a valid short link or API URL of a QR code',
          },
        },
      ],
    },
  ],
});
