import { QR_CODE_FIELDS, SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { newestFirst } from '../resources/newestFirst.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { output } from '../resources/outputFields.ts';
import { qrCodeRow } from '../resources/qrCode.ts';
import { recentCodes } from '../resources/recentCodes.ts';
import { SAMPLE_ROWS } from '../resources/newestRows.ts';
import { pollRows } from './recentRows.ts';

const TOO_MANY = {
  code: 'too_many_changes',
  onTurnOn:
    "Too many QR codes changed in the last three days to read them all, so this Zap couldn't tell new changes from old ones. Use the instant trigger QR Code Updated instead, or turn this Zap on when fewer have changed: three days after a bulk job, for example.",
  onPoll:
    'Too many QR codes changed in the last half hour to read them all. Use the instant trigger QR Code Updated instead.',
};

/** Recently changed codes, newest first. A change is a new pair of id and updatedAt. */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const client = createClient(z, bundle);
  if (bundle.meta.isLoadingSample) return (await recentCodes(client, SAMPLE_ROWS)).map(qrCodeRow);
  const codes = await pollRows<QrCode>(
    z,
    bundle,
    (updatedSince) => client.qr.list({ updatedSince }),
    TOO_MANY,
  );
  return newestFirst(codes, (code) => code.updatedAt).map(qrCodeRow);
}

export const qrChanged: Trigger = {
  key: 'qr_changed',
  noun: 'QR Code',
  display: {
    label: 'New or Changed QR Code',
    description: 'Triggers when a QR code is created or changed; checks every few minutes.',
  },
  operation: {
    type: 'polling',
    perform: withZapierErrors(perform),
    ...output(QR_CODE_FIELDS, SAMPLE_QR_CODE, ['id', 'updatedAt']),
  },
};
