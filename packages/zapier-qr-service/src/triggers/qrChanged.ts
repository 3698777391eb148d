import { QR_CODE_FIELDS, SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { plainError } from '../errors/zapierErrors.ts';
import { newestFirst } from '../resources/newestFirst.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { output } from '../resources/outputFields.ts';
import { qrCodeRow } from '../resources/qrCode.ts';
import { recentRows } from './recentRows.ts';

/** Recently changed codes, newest first. A change is a new pair of id and updatedAt. */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const { qr } = createClient(z, bundle);
  const codes = bundle.meta.isLoadingSample
    ? (await qr.listPage()).rows
    : await recentRows<QrCode>((updatedSince) => qr.list({ updatedSince }));
  if (codes === undefined)
    throw plainError(
      z,
      'Too many QR codes changed in the last half hour to read them all. Use the QR Code Updated trigger instead.',
      'too_many_changes',
    );
  return newestFirst(codes, (code) => code.updatedAt).map(qrCodeRow);
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
    ...output(QR_CODE_FIELDS, SAMPLE_QR_CODE, ['id', 'updatedAt']),
  },
};
