import type { Account, QrCode } from '../contract/types.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { joined, showText } from '../errors/sentences.ts';
import { isObject, omitUndefined, nonEmptyText, textList, type JsonObject } from '../json/json.ts';

/** A JSON object with a text ID. */
export type Identified = JsonObject & { id: string };

/** The properties of a body and of the object in `data`, if there is one: services put responses, or parts of them, there. */
export function unwrapData(body: JsonObject): JsonObject {
  const { data } = body;
  return isObject(data) ? { ...body, ...data } : body;
}

/** Reads the only record of a response: the body, or else the only object in it, with an ID, that passes `looksRight`. */
export function readRecord(
  body: unknown,
  looksRight: (record: JsonObject) => boolean = () => true,
): Identified | undefined {
  if (!isObject(body)) return undefined;
  const isRecord = (value: unknown): value is Identified =>
    isObject(value) && nonEmptyText(value['id']) !== undefined && looksRight(value);
  if (isRecord(body)) return body;
  const [only, other] = Object.values(body).filter(isRecord);
  return other === undefined ? only : undefined;
}

/** Reads a code's summary. Publish and destination may answer anything else: `{ok: true}`, a job (docs/api.md#publishing). */
export function readQrCode(body: unknown): QrCode | undefined {
  return readRecord(body, looksLikeCode) as QrCode | undefined;
}

/** Whether a record has fields that only codes have. A job may also have a name, a status or a time. */
function looksLikeCode(record: JsonObject): boolean {
  return ['slug', 'publicUrl', 'mode', 'contentType'].some((key) => nonEmptyText(record[key]) !== undefined);
}

/** Reads what `GET /me` says (docs/api.md#account), or throws `unreadable_response` if it isn't a JSON object. */
export function readAccount(body: unknown): Account {
  if (!isObject(body)) throw unreadableResponse('an account', body);
  const account = unwrapData(body);
  const key = isObject(account['key']) ? account['key'] : {};
  const scopes = textList(account['scopes']) ?? textList(key['scopes']);
  return { raw: body, ...omitUndefined({ workspace: readWorkspace(account), scopes }) };
}

function readWorkspace(account: JsonObject): { id?: string; name?: string } | undefined {
  const { workspace, workspaceId = account['id'], workspaceName = account['name'] } = account;
  const { id, name } = isObject(workspace) ? workspace : { id: workspaceId, name: workspaceName };
  const found = omitUndefined({ id: nonEmptyText(id), name: nonEmptyText(name) });
  return Object.keys(found).length === 0 ? undefined : found;
}

/** The error for a response that can't be read. `expected` has its article; `advice` says what else to do, if anything. */
export function unreadableResponse(expected: string, body: unknown, advice = ''): QrServiceError {
  return new QrServiceError(`Unexpected response: expected ${expected}.`, {
    code: 'unreadable_response',
    detail: joined([`Got ${describeShape(body)}.`, advice]),
  });
}

/** Describes a value by its keys or its type, never by its contents, which may be secret. */
function describeShape(value: unknown): string {
  if (value === undefined || value === '') return 'an empty body';
  if (Array.isArray(value)) return 'a list';
  if (!isObject(value)) return value === null ? 'null' : `a ${typeof value}`;
  const keys = Object.keys(value).join(', ');
  return keys === '' ? 'an empty object' : `the keys ${showText(keys)}`;
}
