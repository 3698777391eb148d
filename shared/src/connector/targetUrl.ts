import type { QrCode } from '../contract/types.ts';
import { isObject, text } from '../json/values.ts';

/** Where a code points, if the service says: its summary in the API text doesn't (API text, "QR code summary"). */
export function targetUrlOf(code: Partial<QrCode> | undefined): string | undefined {
  const content = code?.['content'];
  return text(code?.['targetUrl']) ?? (isObject(content) ? text(content['targetUrl']) : undefined);
}

/** Whether two URLs are the same, in any spelling. */
export function isSameUrl(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href);
}
