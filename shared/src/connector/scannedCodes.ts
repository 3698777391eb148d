import type { QrCode, ScanRow } from '../contract/types.ts';
import { NO_CODE } from '../errors/describeApiError.ts';
import { isOwnError } from '../errors/guards.ts';
import type { CodeFinder } from './qrCodes/CodeFinder.ts';
import { normalize } from './qrCodes/qrCode.ts';
import { codeNotFound } from './qrCodes/qrCodeErrors.ts';

/** How many codes are read at once. */
const CONCURRENCY = 10;

/** The ID of the code that was scanned (docs/api.md#scans); empty if the scan has none. */
export function scannedCodeId({ qrId }: ScanRow): string {
  return normalize(qrId);
}

/**
 * Reads the codes with these IDs, as rows about scans show their names: one that was deleted is missing. A count is worth
 * having without names, so a key without the scope `qr:read` gets none, and the error as `refused`.
 * @param finder made for as many lookups
 * @param required those that must exist, as far as the key can tell: no scan shows that they do
 * @throws ParameterError if a required one doesn't exist
 * @throws ApiError or TransportError for any other failure
 */
export async function readScannedCodes(
  finder: Pick<CodeFinder, 'byId'>,
  ids: readonly string[],
  required: readonly string[] = [],
): Promise<{ codes: Map<string, QrCode>; refused?: unknown }> {
  const codes = new Map<string, QrCode>();
  try {
    for (let at = 0; at < ids.length; at += CONCURRENCY) {
      const found = await Promise.all(ids.slice(at, at + CONCURRENCY).map((id) => finder.byId(id)));
      for (const code of found) if (code !== undefined) codes.set(code.id, code);
    }
    const missing = required.find((id) => !codes.has(id));
    if (missing !== undefined) throw codeNotFound(missing, NO_CODE);
    return { codes };
  } catch (error) {
    if (!isOwnError(error, 403)) throw error;
    return { codes, refused: error };
  }
}
