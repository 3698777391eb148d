import { isParameterError, newestFirst, QR_CODE_FIELDS, SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors.ts';
import { output, withAllFields } from '../resources/outputFields.ts';
import { CODE_FILTER_FIELDS, readCodeFilters, sampleCodes } from './codeFilters.ts';
import { LOOK_BACK_FIELD, pollRows, readLookBack, remainingMs } from './pollRows.ts';

const FIELDS = [...QR_CODE_FIELDS, { key: 'changeId', label: 'Change ID', type: 'string' }] as const;

/** A code with an ID of its last change. */
function changeRow(code: QrCode): QrCode & { changeId: string } {
  const changeId = `${code.id} ${(code as Partial<QrCode>).updatedAt ?? ''}`.trim();
  return withAllFields(FIELDS, { ...code, changeId });
}

/** Recently changed codes, newest first, or the code that the filter names by its ID. */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const filters = readCodeFilters(bundle);
  const lookBack = readLookBack(bundle);
  const client = createClient(z, bundle);
  if (bundle.meta.isLoadingSample) return (await sampleCodes(bundle, client)).map(changeRow);
  const toOutput = (codes: QrCode[]) => codes.filter(filters.pass).map(changeRow);
  if (filters.isById) return toOutput(await filters.findCode(client));
  const changes = await pollRows(z, bundle, client, lookBack, {
    listSince: (updatedSince) => client.qr.list({ updatedSince }),
    toOutput,
    keyOf: (row) => row.changeId,
  });
  // Reading the changes may have used up the time or the rate limit: only a code that certainly doesn't exist fails.
  const searchMs = remainingMs(lookBack);
  if (bundle.meta.isPopulatingDedupe && changes.length === 0 && searchMs > 0)
    await filters.findCode(client, searchMs).catch((error: unknown) => {
      if (isParameterError(error) && error.code !== 'search_limit') throw error;
    });
  return newestFirst(changes, (row) => row.updatedAt);
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
    inputFields: [...CODE_FILTER_FIELDS, LOOK_BACK_FIELD],
    ...output(FIELDS, changeRow(SAMPLE_QR_CODE), ['changeId']),
  },
};
