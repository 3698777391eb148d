import type { LockObject } from 'zapier-platform-core';
import { QR_CODE_ID_FIELD } from '../resources/qrCodeId.ts';

/**
 * Makes steps that write to the same code run one after the other, so that the last row wins rather than the slowest
 * request.
 */
export const CODE_LOCK: LockObject = {
  key: `qr_code-{{bundle.inputData.${QR_CODE_ID_FIELD.key}}}`,
  scope: ['auth'],
  timeout: 30,
};
