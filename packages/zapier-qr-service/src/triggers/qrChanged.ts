import { QR_CODE_FIELDS, SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { plainError } from '../errors/zapierErrors.ts';
import { newestFirst } from '../resources/newestFirst.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { output } from '../resources/outputFields.ts';
import { qrCodeRow } from '../resources/qrCode.ts';
import { CODE_FILTER_FIELDS, readCodeFilters, sampleCodes } from './codeFilters.ts';
import { recentRows } from './recentRows.ts';

/** Recently changed codes, newest first. A change is a new pair of id and updatedAt. */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const filters = readCodeFilters(bundle);
  const client = createClient(z, bundle);
  const { qr } = client;
  if (bundle.meta.isLoadingSample) return (await sampleCodes(bundle, client)).map(qrCodeRow);
  if (bundle.meta.isPopulatingDedupe) await filters.findCode(client);
  const codes = await recentRows<QrCode>((updatedSince) => qr.list({ updatedSince }));
  if (codes === undefined)
    throw plainError(
      z,
      'Too many QR codes changed in the last half hour to read them all. Use the QR Code Updated trigger instead.',
      'too_many_changes',
    );
  return newestFirst(codes.filter(filters.pass), (code) => code.updatedAt).map(qrCodeRow);
}

export const qrChanged: Trigger = {
  key: 'qr_changed',
  noun: 'QR Code',
  display: {
    label: 'New or Changed QR Code',
    description: 'Triggers when a QR code is created or changed.',
  },
  operation: {
    type: 'polling',
    perform: withZapierErrors(perform),
    inputFields: CODE_FILTER_FIELDS,
    ...output(QR_CODE_FIELDS, SAMPLE_QR_CODE, ['id', 'updatedAt']),
  },
};
