import { QR_CODE_FIELDS, SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { newestFirst } from '../resources/newestFirst.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { output } from '../resources/outputFields.ts';
import { qrCodeRow } from '../resources/qrCode.ts';
import { CODE_FILTER_FIELDS, readCodeFilters, sampleCodes } from './codeFilters.ts';
import { pollRows } from './pollRows.ts';

const TOO_MANY = {
  code: 'too_many_changes',
  onTurnOn:
    'Too many QR codes changed in the last three days to tell new changes from old ones. Use the QR Code Updated trigger instead, or turn the Zap on later, for example three days after a bulk job.',
  onPoll:
    'Too many QR codes changed in the last half hour to read them all. Use the QR Code Updated trigger instead.',
};

/** Recently changed codes, newest first. Each combination of ID and updatedAt is one change. */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const filters = readCodeFilters(bundle);
  const client = createClient(z, bundle);
  if (bundle.meta.isLoadingSample) return (await sampleCodes(bundle, client)).map(qrCodeRow);
  if (bundle.meta.isPopulatingDedupe) await filters.findCode(client);
  const codes = await pollRows<QrCode>(
    z,
    bundle,
    client,
    (updatedSince) => client.qr.list({ updatedSince }),
    TOO_MANY,
  );
  // Zapier doesn't accept two rows with the same key in a poll.
  const changes = new Map(codes.map((one) => [JSON.stringify([one.id, one.updatedAt]), one]));
  return newestFirst([...changes.values()].filter(filters.pass), (one) => one.updatedAt).map(qrCodeRow);
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
