import type { QrCode } from '../contract/types.ts';
import { isObject, text } from '../json/values.ts';

/** Where a code points, if the service says: its summary in the API text doesn't (API text, "QR code summary"). */
export function targetUrlOf(code: Partial<QrCode> | undefined): string | undefined {
  const content = code?.['content'];
  return text(code?.['targetUrl']) ?? (isObject(content) ? text(content['targetUrl']) : undefined);
}
