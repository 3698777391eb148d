import type { QrCode } from '@qr-service/core';
import { newestFirst, QR_CODE_FIELDS, SAMPLE_QR_CODE, SAMPLE_ROWS } from '@qr-service/core/connector';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { output } from '../resources/outputFields.ts';
import { qrCodeRow } from '../resources/qrCode.ts';
import { CODE_FILTER, readCodeFilters, recentFilteredCodes, STATUS_FILTER } from './filters.ts';
import { pollRows } from './pollRows.ts';

/** Recently changed codes, newest first, or the only code: one request finds it, without reading all changes. */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const { id, pass } = readCodeFilters(bundle);
  const client = createClient(z, bundle);
  if (bundle.meta.isLoadingSample || id !== '')
    return (await recentFilteredCodes(bundle, client)).slice(0, SAMPLE_ROWS).map(qrCodeRow);
  const changes = await pollRows(z, bundle, client, {
    listSince: (updatedSince) => client.qr.list({ updatedSince }),
    toOutput: (codes: QrCode[]) => codes.filter(pass).map(qrCodeRow),
    keyOf: ({ id, updatedAt }) => `${id} ${updatedAt}`,
  });
  return newestFirst(changes, (code) => code.updatedAt);
}

export const qrChanged: Trigger = {
  key: 'qr_changed',
  noun: 'QR Code',
  display: { label: 'New or Changed QR Code', description: 'Triggers when a QR code is created or changed.' },
  operation: {
    type: 'polling',
    perform: withZapierErrors(perform),
    inputFields: [CODE_FILTER, STATUS_FILTER],
    ...output(QR_CODE_FIELDS, SAMPLE_QR_CODE, ['id', 'updatedAt']),
  },
};
