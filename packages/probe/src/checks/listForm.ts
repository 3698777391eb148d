import type { QrServiceClient } from '@qr-service/core';
import type { Exchange } from '../http/Exchange.ts';
import type { Probe } from './Probe.ts';

type Json = Record<string, unknown>;

/** Value of `WireShape.listKey` for a list without an object around it. */
export const TOP_LEVEL = 'top-level array';
const NOT_ROWS = 'allowedDimensions';

/** Where the rows of a list are. */
interface RowsPlace {
  /** Name of the array, or `top-level array`. */
  key: string;
  /** Name of the object around it; undefined at the top. */
  wrapper?: string;
}

/** Which array of a response contains the rows, as the connector reads it; undefined if several could be it. */
export async function rowsPlace(
  probe: Probe,
  exchange: Exchange,
  firstId: (client: QrServiceClient) => Promise<string | undefined>,
): Promise<RowsPlace | undefined> {
  if (Array.isArray(exchange.json)) return { key: TOP_LEVEL };
  const places = arraysOf(exchange.json);
  const filled = places.filter(({ rows }) => rows.length > 0);
  if (filled.length === 0) return places.length === 1 ? withoutRows(places[0]) : undefined;
  // Each array gets a row of its own: the connector's reader says which one counts.
  const marked = structuredClone(exchange.json);
  for (const [index, place] of places.entries())
    if (place.rows.length > 0) setRows(marked as Json, place, [{ id: `place-${index}`, slug: 'marked' }]);
  const bytes = new TextEncoder().encode(JSON.stringify(marked));
  const { result } = await probe.read([{ status: 200, headers: exchange.headers, bytes }], firstId);
  return withoutRows(places.find((_place, index) => result === `place-${index}`));
}

/** Form of `nextCursor` in a response. */
export function cursorForm(json: unknown): 'null' | 'empty' | 'missing' | 'number' | 'text' {
  const all = levels(json);
  const envelopes = all.map((level) => level['pagination']).filter(isObject);
  const holder = [...envelopes, ...all].find((level) => Object.hasOwn(level, 'nextCursor'));
  if (holder === undefined) return 'missing';
  const cursor = holder['nextCursor'];
  if (cursor === null) return 'null';
  if (cursor === '') return 'empty';
  return typeof cursor === 'number' ? 'number' : 'text';
}

/** Name of the object that contains `pagination`: an empty text at the top, undefined if there is none. */
export function paginationPlace(json: unknown): string | undefined {
  if (!isObject(json)) return undefined;
  if (isObject(json['pagination'])) return '';
  return Object.keys(json).find((key) => isObject(json[key]) && isObject(json[key]['pagination']));
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Form of an error's body. */
export function bodyForm(json: unknown): 'flat' | 'nested' | 'html' | 'other' {
  if (json === undefined) return 'html';
  if (!isObject(json)) return 'other';
  if (typeof json['code'] === 'string') return 'flat';
  return isObject(json['error']) && typeof json['error']['code'] === 'string' ? 'nested' : 'other';
}

function levels(json: unknown): Json[] {
  return isObject(json) ? [json, ...Object.values(json).filter(isObject)] : [];
}

function arraysOf(json: unknown): (RowsPlace & { rows: unknown[] })[] {
  if (!isObject(json)) return [];
  const at = (level: Json, wrapper?: string) =>
    Object.entries(level).flatMap(([key, rows]) =>
      key !== NOT_ROWS && Array.isArray(rows) && rows.every(isObject)
        ? [{ key, rows, ...(wrapper !== undefined && { wrapper }) }]
        : [],
    );
  const nested = Object.entries(json).flatMap(([key, level]) => (isObject(level) ? at(level, key) : []));
  return [...at(json), ...nested];
}

function setRows(json: Json, { key, wrapper }: RowsPlace, rows: unknown[]): void {
  const level = wrapper === undefined ? json : (json[wrapper] as Json);
  level[key] = rows;
}

function withoutRows(place: RowsPlace | undefined): RowsPlace | undefined {
  if (place === undefined) return undefined;
  const { key, wrapper } = place;
  return { key, ...(wrapper !== undefined && { wrapper }) };
}
