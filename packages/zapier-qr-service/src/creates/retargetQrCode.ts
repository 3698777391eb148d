import { INPUTS } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Create, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { inputField } from '../inputs/inputField.ts';
import { textInput } from '../inputs/readInputs.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';
import { QR_CODE_ID_FIELD, requireCodeId } from '../resources/qrCodeId.ts';
import { CODE_LOCK } from './lock.ts';

const URL_FIELD = inputField(INPUTS.url);

/**
 * Updates the destination. Takes no deduplication key: after a change from A to B and back within a day, the code would
 * stay at B.
 */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode> {
  const url = textInput(bundle, URL_FIELD);
  const client = createClient(z, bundle);
  const id = await requireCodeId(bundle, client);
  return qrCodeRow(await client.qr.retarget(id, url));
}

export const retargetQrCode: Create = {
  key: 'retarget_qr_code',
  noun: 'QR Code',
  display: {
    label: 'Update QR Code Destination',
    description: 'Updates the destination of a QR code (retargets it) without reprinting it.',
  },
  operation: {
    perform: withZapierErrors(perform),
    inputFields: [QR_CODE_ID_FIELD, URL_FIELD],
    lock: CODE_LOCK,
    ...QR_CODE_OUTPUT,
  },
};
