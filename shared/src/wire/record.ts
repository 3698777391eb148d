import type { QrCode } from '../contract/types.ts';
import { isObject, text, type JsonObject } from '../json/json.ts';

/** A JSON object with a text ID. */
export type Identified = JsonObject & { id: string };

/** The properties of a body and of the object in `data`, if there is one: services put responses, or parts of them, there. */
export function unwrapData(body: JsonObject): JsonObject {
  const { data } = body;
  return isObject(data) ? { ...body, ...data } : body;
}

/**
 * Reads the only record of a response (API text, "Gaps": several bodies aren't shown): the body itself, or else the only
 * object in it, that has an ID and passes `looksRight`. A numeric ID becomes text. Undefined if there is none, or if it
 * is ambiguous.
 */
export function readRecord(
  body: unknown,
  looksRight: (record: JsonObject) => boolean = () => true,
): Identified | undefined {
  if (!isObject(body)) return undefined;
  const identified = (record: JsonObject) => (looksRight(record) ? withId(record) : undefined);
  const flat = identified(body);
  if (flat !== undefined) return flat;
  const [only, other] = Object.values(body)
    .filter(isObject)
    .flatMap((record) => identified(record) ?? []);
  return other === undefined ? only : undefined;
}

function withId(record: JsonObject): Identified | undefined {
  const { id } = record;
  if (typeof id === 'number') return { ...record, id: String(id) };
  return text(id) === undefined ? undefined : (record as Identified);
}

/**
 * Reads a code's summary; undefined if the response is something else (204, `{ok: true}`, a job, …), as the API text
 * doesn't show the bodies of publish and destination ("Endpoints", gaps).
 */
export function readQrCode(body: unknown): QrCode | undefined {
  return readRecord(body, looksLikeCode) as QrCode | undefined;
}

/** Whether a record has fields that only codes have. A job may also have a name, a status or a time. */
function looksLikeCode(record: JsonObject): boolean {
  return ['slug', 'publicUrl', 'mode', 'contentType'].some((key) => text(record[key]) !== undefined);
}
