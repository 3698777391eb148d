import type { QrCode } from '@qr-service/core';
import type { Bundle, Create, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';
import { QR_CODE_ID_FIELD, requireCodeId } from '../resources/qrCodeId.ts';
import { CODE_LOCK } from './lock.ts';
import { stepDescription } from './stepDescription.ts';

/**
 * Publishes a code. Takes no deduplication key: a code archived since would stay archived, and the step would return an
 * earlier run's result.
 */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode> {
  const client = createClient(z, bundle);
  const id = await requireCodeId(bundle, client);
  return qrCodeRow(await client.qr.publish(id));
}

export const publishQrCode: Create = {
  key: 'publish_qr_code',
  noun: 'QR Code',
  display: { label: 'Publish QR Code', description: stepDescription('publish') },
  operation: {
    perform: withZapierErrors(perform),
    inputFields: [QR_CODE_ID_FIELD],
    lock: CODE_LOCK,
    ...QR_CODE_OUTPUT,
  },
};
