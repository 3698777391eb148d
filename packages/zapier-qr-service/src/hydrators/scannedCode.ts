import { isOwnError, type PlatformClient } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { errorTitle, withZapierErrors } from '../errors/zapierErrors.ts';
import { textInput } from '../inputs/readInputs.ts';
import { QR_CODE_ID_FIELD } from '../resources/qrCodeId.ts';
import { scannedCodeOf, UNKNOWN_CODE, type ScannedCode } from '../resources/scan.ts';

/** Reads a scanned code when its scan starts a Zap: a poll can't tell which of its rows are new. */
export const scannedCode = withZapierErrors((z: ZObject, bundle: Bundle): Promise<ScannedCode> => {
  const id = textInput(bundle, QR_CODE_ID_FIELD);
  return readScannedCode(z, createClient(z, bundle), id);
});

/**
 * Reads a scanned code. A scan is worth having without it, so a code that is gone and a key without the scope for
 * codes leave its fields empty.
 * @throws ApiError or TransportError for any other failure
 */
export async function readScannedCode(z: ZObject, { qr }: PlatformClient, id: string): Promise<ScannedCode> {
  try {
    return scannedCodeOf(await qr.get(id));
  } catch (error) {
    if (!isOwnError(error, 403, 404)) throw error;
    z.console.log(`A scan has no name and short link of its QR code: ${errorTitle(error)}`);
    return UNKNOWN_CODE;
  }
}
