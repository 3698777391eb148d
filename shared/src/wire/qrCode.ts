import type { QrCode } from '../contract/types.ts';
import { readRecord, text } from './record.ts';

/**
 * A code's summary, or undefined when the answer is something else (204, `{ok: true}`, …): the bodies of
 * publish and destination are not shown in the API text ("Endpoints", gaps).
 */
export function readQrCode(body: unknown): QrCode | undefined {
  const record = readRecord(body);
  if (record === undefined) return undefined;
  // A name, a status or a time may be a job's as well.
  const looksLikeCode = ['slug', 'publicUrl', 'mode', 'contentType'].some(
    (key) => text(record[key]) !== undefined,
  );
  return looksLikeCode ? (record as QrCode) : undefined;
}
