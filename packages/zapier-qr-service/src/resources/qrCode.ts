import { QR_CODE_FIELDS, SAMPLE_QR_CODE, type QrCode } from '@qr-service/core';
import { outputFields, withAllFields } from './outputFields.ts';

/** A code as steps give it. */
export function qrCodeRow(code: QrCode): QrCode {
  return withAllFields(QR_CODE_FIELDS, code);
}

/** Sample and output fields of steps that give a code. */
export const QR_CODE_OUTPUT = {
  sample: qrCodeRow(SAMPLE_QR_CODE),
  outputFields: outputFields(QR_CODE_FIELDS),
};
