import type { QrCode } from '@qr-service/core';
import type { Bundle, Create, PlainInputField, ZObject } from 'zapier-platform-core';
import { createClient } from '../client.ts';
import { DEDUPLICATION_FIELD, QR_CODE_ID_FIELD, requireText, writeOptions } from '../inputs.ts';
import { guarded } from '../perform.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';
import { CODE_LOCK } from './lock.ts';

const URL_FIELD: PlainInputField = {
  key: 'url',
  label: 'New Target URL',
  type: 'string',
  required: true,
  helpText: 'Where the printed code points from now on, with https:// in front.',
};

async function perform(z: ZObject, bundle: Bundle): Promise<QrCode> {
  const id = requireText(z, bundle, QR_CODE_ID_FIELD);
  const url = requireText(z, bundle, URL_FIELD);
  return qrCodeRow(
    await createClient(z, bundle).qr.retarget(id, url, writeOptions(bundle, 'retarget_qr_code')),
  );
}

export const retargetQrCode: Create = {
  key: 'retarget_qr_code',
  noun: 'QR Code',
  display: {
    label: 'Retarget QR Code',
    description: 'Changes where a QR code points, without printing it again.',
  },
  operation: {
    perform: guarded(perform),
    inputFields: [QR_CODE_ID_FIELD, URL_FIELD, DEDUPLICATION_FIELD],
    lock: CODE_LOCK,
    ...QR_CODE_OUTPUT,
  },
};
