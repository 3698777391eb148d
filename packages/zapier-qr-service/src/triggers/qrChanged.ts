import { codeVersion, newestFirst, QR_CODE_FIELDS, SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { output, withAllFields } from '../resources/outputFields.ts';
import { CODE_FILTER_FIELDS, readCodeFilters, sampleCodes } from './codeFilters.ts';
import { pollRows } from './pollRows.ts';

const TOO_MANY = {
  code: 'too_many_changes',
  onTurnOn:
    'Too many QR codes changed in the last three days to tell new changes from old ones. Use the QR Code Updated trigger instead, or turn the Zap on later, for example three days after a bulk job.',
  onPoll:
    'Too many QR codes changed in the last half hour to read them all. Use the QR Code Updated trigger instead.',
};

const FIELDS = [...QR_CODE_FIELDS, { key: 'changeId', label: 'Change ID', type: 'string' }] as const;

/** A code with an ID of its last change: with times in whole seconds, two changes can have the same `updatedAt`. */
function changeRow(code: QrCode): QrCode & { changeId: string } {
  const parts = [code.id, code.updatedAt, codeVersion(code)].filter((part) => part !== undefined);
  return withAllFields(FIELDS, { ...code, changeId: parts.join(' ') });
}

/** Recently changed codes, newest first. */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const filters = readCodeFilters(bundle);
  const client = createClient(z, bundle);
  if (bundle.meta.isLoadingSample) return (await sampleCodes(bundle, client)).map(changeRow);
  if (bundle.meta.isPopulatingDedupe) await filters.findCode(client);
  const codes = await pollRows<QrCode>(
    z,
    bundle,
    client,
    (updatedSince) => client.qr.list({ updatedSince }),
    TOO_MANY,
  );
  const rows = codes.filter(filters.pass).map(changeRow);
  // Zapier doesn't accept two rows with the same key in a poll.
  const changes = new Map(rows.map((row) => [row.changeId, row]));
  return newestFirst([...changes.values()], (row) => row.updatedAt);
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
    ...output(FIELDS, changeRow(SAMPLE_QR_CODE), ['changeId']),
  },
};
