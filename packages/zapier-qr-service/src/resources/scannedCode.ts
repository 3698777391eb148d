import { CodeFinder, type PlatformClient, readScannedCodes } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { errorTitle, withZapierErrors } from '../errors/zapierErrors.ts';
import { textInput } from '../inputs/readInputs.ts';
import { QR_CODE_ID_FIELD } from './qrCodeId.ts';
import { scannedCodeOf, type ScannedCode, UNKNOWN_CODE } from './scan.ts';

/** How long the list of codes may be read for their names, in milliseconds. */
const NAMES_MS = 5_000;

/** Reads a scanned code when its scan starts a Zap: a poll can't tell which of its rows are new. */
export const scannedCode = withZapierErrors(async (z: ZObject, bundle: Bundle): Promise<ScannedCode> => {
  const id = textInput(bundle, QR_CODE_ID_FIELD);
  return (await readCodes(z, createClient(z, bundle), [id])).get(id) ?? UNKNOWN_CODE;
});

/**
 * Reads scanned codes by their IDs. Scans are worth having without them, so the fields of a code that is gone are empty, and
 * with a key without the scope for codes, those of all.
 * @throws ApiError or TransportError for any other failure
 */
export async function readCodes(z: ZObject, { qr }: PlatformClient, ids: readonly string[]) {
  const finder = new CodeFinder(qr, { lookups: ids.length, searchMs: NAMES_MS });
  const { codes, refused } = await readScannedCodes(finder, ids);
  if (refused !== undefined)
    z.console.log(`Scans have no name and short link of their QR code: ${errorTitle(refused)}`);
  return new Map(ids.map((id) => [id, scannedCodeOf(codes.get(id) ?? {})]));
}
