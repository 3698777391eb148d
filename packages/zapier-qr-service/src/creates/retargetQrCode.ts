import type { QrCode } from '@qr-service/core';
import type { Bundle, Create, PlainInputField, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { ADVANCED_GROUP, DEDUPLICATION_FIELD, textInput, writeOptions } from '../inputs/readInputs.ts';
import { guarded } from '../errors/withZapierErrors.ts';
import { QR_CODE_ID_FIELD, requireCodeId } from '../resources/qrCodeId.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';
import { CODE_LOCK } from './lock.ts';

const URL_FIELD: PlainInputField = {
  key: 'url',
  label: 'New Target URL',
  type: 'string',
  required: true,
  helpText: 'Where the printed code points from now on, complete with `https://`.',
};

async function perform(z: ZObject, bundle: Bundle): Promise<QrCode> {
  const url = textInput(bundle, URL_FIELD);
  const options = writeOptions(bundle, 'retarget_qr_code');
  const client = createClient(z, bundle);
  const id = await requireCodeId(z, bundle, client);
  return qrCodeRow(await client.qr.retarget(id, url, options));
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
    inputFieldGroups: [ADVANCED_GROUP],
    lock: CODE_LOCK,
    ...QR_CODE_OUTPUT,
  },
};
