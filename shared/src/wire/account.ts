import type { Account } from '../contract/types.ts';
import { isObject, text, textList, type JsonObject } from '../json/values.ts';
import { unreadable } from './unreadable.ts';

/**
 * Workspace and scopes of the key, as far as the answer of `GET /me` says (its body is not shown in the
 * API text, "Endpoints", gaps).
 * @throws QrServiceError `unreadable_response` when it is not a JSON object
 */
export function readAccount(body: unknown): Account {
  if (!isObject(body)) throw unreadable('account', body);
  const inside = isObject(body['data']) ? body['data'] : {};
  const workspace = readWorkspace(body) ?? readWorkspace(inside);
  const scopes = readScopes(body) ?? readScopes(inside);
  return {
    raw: body,
    ...(workspace === undefined ? {} : { workspace }),
    ...(scopes === undefined ? {} : { scopes }),
  };
}

function readWorkspace(body: JsonObject): { id?: string; name?: string } | undefined {
  const nested = body['workspace'];
  if (text(nested) !== undefined) return { id: text(nested) as string };
  const source = isObject(nested) ? nested : body;
  const id = text(source['workspaceId']) ?? text(source['id']);
  const name = text(source['workspaceName']) ?? text(source['name']);
  if (id === undefined && name === undefined) return undefined;
  return { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) };
}

function readScopes(body: JsonObject): string[] | undefined {
  for (const level of [body, body['key'], body['apiKey'], body['workspace']]) {
    const scopes = isObject(level) ? (textList(level['scopes']) ?? textList(level['granted'])) : undefined;
    if (scopes !== undefined) return scopes;
  }
  return undefined;
}
