import {
  INPUTS,
  invalidParameter,
  isReferredTo,
  normalize,
  readCodeReference,
} from '@qr-service/core/connector';
import type { QrCode, QrServiceClient } from '@qr-service/core';
import type { Bundle, PlainInputField } from 'zapier-platform-core';
import { QR_CODE_ID_FIELD, requireCodeId } from './qrCodeId.ts';

// A trigger has no earlier step to search in.
const { search: _search, ...CODE_DROPDOWN } = QR_CODE_ID_FIELD;

/** The field of a filter for one code. */
export const NAMED_CODE_FIELD: PlainInputField = { ...CODE_DROPDOWN, required: false };

/** Matches what is about the code that a filter names. A missing field counts as a match. */
export function nameMatcher(named: string): (code: Partial<Record<'id' | 'publicUrl', unknown>>) => boolean {
  if (named === '') return () => true;
  const isNamed = isReferredTo(named);
  const compared = 'id' in readCodeReference(named) ? 'id' : 'publicUrl';
  return (code) => normalize(code[compared]) === '' || isNamed({ ...code, id: normalize(code.id) } as QrCode);
}

/**
 * Reads the code that a filter names, to check the filter while people set up a step.
 * @throws ApiError or ParameterError if no code matches, or if the key can't read codes
 */
export async function findNamedCode(
  bundle: Bundle,
  client: QrServiceClient,
  named: string,
  searchMs?: number,
): Promise<QrCode> {
  const code = await client.qr.get(await requireCodeId(bundle, client, searchMs));
  if (nameMatcher(named)(code)) return code;
  // A service may also find a code by something other than its exact ID, such as the ID in another case. Events
  // contain only the exact one.
  throw invalidParameter(
    named,
    { label: INPUTS.qrCodeId.label },
    'the exact ID or the short link of a code',
    'Choose a code from the list.',
  );
}
