import type { QrCode } from '../contract/types.ts';
import { readRecord, type Identified } from './record.ts';
import { text } from '../json/values.ts';

/**
 * Reads a code's summary; undefined if the response is something else (204, `{ok: true}`, …), as the API text doesn't
 * show the bodies of publish and destination ("Endpoints", gaps).
 */
export function readQrCode(body: unknown): QrCode | undefined {
  const record = readRecord(body, looksLikeCode);
  return record !== undefined && looksLikeCode(record) ? (record as QrCode) : undefined;
}

/** Whether a record has fields that only codes have. A job may also have a name, a status or a time. */
export function looksLikeCode(record: Identified): boolean {
  return ['slug', 'publicUrl', 'mode', 'contentType'].some((key) => text(record[key]) !== undefined);
}
