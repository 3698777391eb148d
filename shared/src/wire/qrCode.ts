import type { QrCode } from '../contract/types.ts';
import { readRecord, type Identified } from './record.ts';
import { text } from '../json/values.ts';

/**
 * A code's summary, or undefined if the response is something else (204, `{ok: true}`, …): the bodies of
 * publish and destination aren't shown in the API text ("Endpoints", gaps).
 */
export function readQrCode(body: unknown): QrCode | undefined {
  const record = readRecord(body, looksLikeCode);
  return record !== undefined && looksLikeCode(record) ? (record as QrCode) : undefined;
}

/** Has fields that only codes have: a job may have a name, a status or a time as well. */
export function looksLikeCode(record: Identified): boolean {
  return ['slug', 'publicUrl', 'mode', 'contentType'].some((key) => text(record[key]) !== undefined);
}
