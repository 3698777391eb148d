import { isOwnError, normalize } from '@qr-service/core/connector';
import type { QrCode, QrServiceClient, ScanRow } from '@qr-service/core';
import type { Bundle, PlainInputField } from 'zapier-platform-core';
import { textInput } from '../inputs/readInputs.ts';
import { findNamedCode, NAMED_CODE_FIELD } from './namedCode.ts';
import { requireCodeId } from './qrCodeId.ts';
import { codeIdOf } from './scan.ts';

/** Filter field of steps about scans. Scans contain only the code's ID. */
export const SCAN_FILTER_FIELD: PlainInputField = {
  ...NAMED_CODE_FIELD,
  helpText:
    'Only scans of this code. Choose it from the list, or enter its ID. A short link works too, but each check then looks it up. Leave empty for any code.',
};

/**
 * Reads which code's scans a step is about; undefined if it is about all. An ID takes no request, unless it is checked.
 * @param isChecked whether to check that the code exists, if the key can read codes
 * @throws ApiError or ParameterError if no code matches
 */
export async function readScanFilter(
  bundle: Bundle,
  client: QrServiceClient,
  isChecked: boolean,
): Promise<Pick<QrCode, 'id'> | undefined> {
  const named = textInput(bundle, SCAN_FILTER_FIELD);
  if (named === '') return undefined;
  try {
    if (isChecked) return await findNamedCode(bundle, client, named);
  } catch (error) {
    // Scans can be read without the scope for codes.
    if (!isOwnError(error, 403)) throw error;
  }
  return { id: await requireCodeId(bundle, client) };
}

/** Scans that pass the filter. One without a code's ID passes, so that a filter never loses scans. */
export function scansOf<Scan extends ScanRow>(
  scans: readonly Scan[],
  code: Pick<QrCode, 'id'> | undefined,
): Scan[] {
  if (code === undefined) return [...scans];
  return scans.filter((scan) => ['', normalize(code.id)].includes(codeIdOf(scan)));
}
