import type { Page, QrCode, ScanPage } from '../contract/types.ts';
import { isObject, type JsonObject, omitUndefined, nonEmptyText, textList } from '../json/json.ts';
import { readRecord, unreadableResponse, unwrapData } from './record.ts';

/** Reads one page of a list, whose array has no documented name (docs/api.md#lists), or throws `unreadable_response`. */
export function readPage(body: unknown): ScanPage {
  const { allowedDimensions, pagination, ...rest } = isObject(body) ? unwrapData(body) : {};
  const [rows, other] = Object.values(rest).filter(isList);
  if (rows === undefined || other !== undefined || (rows.length === 0 && !isObject(pagination)))
    throw unreadableResponse('a list of rows with its pagination', body);
  return {
    rows,
    allowedDimensions: textList(allowedDimensions) ?? [],
    ...omitUndefined({ nextCursor: readNextCursor(pagination) }),
  };
}

/** The same for codes: each row is one, flat or wrapped, with an ID. */
export function readQrCodePage(body: unknown): Page<QrCode> {
  const { allowedDimensions: _, ...page } = readPage(body);
  const rows = page.rows.map((row) => {
    const record = readRecord(row);
    if (record === undefined) throw unreadableResponse('an ID in each row of the list', row);
    return record as unknown as QrCode;
  });
  return { ...page, rows };
}

function isList(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}

/** Null, empty and missing all end a list. Anything else that isn't text is an error, as rows would be lost. */
function readNextCursor(pagination: unknown): string | undefined {
  const { nextCursor } = isObject(pagination) ? pagination : {};
  if (typeof (nextCursor ?? '') !== 'string') throw unreadableResponse('a valid cursor', nextCursor);
  return nonEmptyText(nextCursor);
}
