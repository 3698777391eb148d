import { inOrder } from '../contract/scopes.ts';
import type { Account } from '../contract/types.ts';
import { omitUndefined } from '../json/omitUndefined.ts';
import { isObject, text, textList, type JsonObject } from '../json/values.ts';
import { unreadableResponse } from './unreadableResponse.ts';

/**
 * Workspace and scopes of the key, as far as the response of `GET /me` names them (its body isn't shown in the API
 * text, "Endpoints", gaps).
 * @throws QrServiceError `unreadable_response` if it isn't a JSON object
 */
export function readAccount(body: unknown): Account {
  if (!isObject(body)) throw unreadableResponse('an account', body);
  const data = isObject(body['data']) ? body['data'] : {};
  const workspace = readWorkspace(body) ?? readWorkspace(data);
  const scopes = readScopes(body) ?? readScopes(data);
  return { raw: body, ...omitUndefined({ workspace, scopes }) };
}

function readWorkspace(body: JsonObject): { id?: string; name?: string } | undefined {
  const nested = body['workspace'];
  if (text(nested) !== undefined) return { id: text(nested) as string };
  const source = isObject(nested) ? nested : body;
  const id = text(source['workspaceId']) ?? text(source['id']);
  const name = text(source['workspaceName']) ?? text(source['name']);
  if (id === undefined && name === undefined) return undefined;
  return omitUndefined({ id, name });
}

function readScopes(body: JsonObject): string[] | undefined {
  for (const level of [body, body['key'], body['apiKey'], body['workspace']]) {
    const scopes = isObject(level) ? (textList(level['scopes']) ?? textList(level['granted'])) : undefined;
    if (scopes !== undefined) return inOrder(scopes);
  }
  return undefined;
}
