import type { Account, QrCode } from '../contract/types.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { showText } from '../errors/sentences.ts';
import { isObject, omitUndefined, nonEmptyText, textList, type JsonObject } from '../json/json.ts';

/** A JSON object with a text ID. */
export type Identified = JsonObject & { id: string };

/** The properties of a body and of the object in `data`, if there is one: services put responses, or parts of them, there. */
export function unwrapData(body: JsonObject): JsonObject {
  const { data } = body;
  return isObject(data) ? { ...body, ...data } : body;
}

/**
 * Reads the only record of a response (docs/api.md: several bodies aren't documented): the body itself, or else the only
 * object in it, that has an ID and passes `looksRight`. Undefined if there is none, or if it is ambiguous.
 */
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

/**
 * Reads a code's summary; undefined if the response is something else (204, `{ok: true}`, a job, …), as the bodies of publish
 * and destination aren't documented (docs/api.md#publishing).
 */
export function readQrCode(body: unknown): QrCode | undefined {
  return readRecord(body, looksLikeCode) as QrCode | undefined;
}

/** Whether a record has fields that only codes have. A job may also have a name, a status or a time. */
function looksLikeCode(record: JsonObject): boolean {
  return ['slug', 'publicUrl', 'mode', 'contentType'].some((key) => nonEmptyText(record[key]) !== undefined);
}

/**
 * Workspace and scopes of the key, as far as the response of `GET /me` names them (docs/api.md#account).
 * @throws QrServiceError `unreadable_response` if it isn't a JSON object
 */
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

/**
 * The error for a response that can't be read. It says what was found, and prevents treating the response as an empty
 * result.
 * @param expected with its article
 */
export function unreadableResponse(expected: string, body: unknown): QrServiceError {
  return new QrServiceError(`Unexpected response: expected ${expected}.`, {
    code: 'unreadable_response',
    detail: `Got ${describeShape(body)}.`,
  });
}

/** Describes a value by its keys or its type, never by its contents, which may be secret. */
export function describeShape(value: unknown): string {
  if (value === undefined || value === '') return 'an empty body';
  if (Array.isArray(value)) return 'a list';
  if (!isObject(value)) return value === null ? 'null' : `a ${typeof value}`;
  const keys = Object.keys(value).join(', ');
  return keys === '' ? 'an empty object' : `the keys ${showText(keys)}`;
}
