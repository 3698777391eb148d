import { QR_CODE_FIELDS, SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import { output, withAllFields } from './outputFields.ts';

/** A code as steps output it. */
export function qrCodeRow(code: QrCode): QrCode {
  return withAllFields(QR_CODE_FIELDS, code);
}

/** Sample and output fields of steps that output a code. */
export const QR_CODE_OUTPUT = output(QR_CODE_FIELDS, SAMPLE_QR_CODE);
