import type { Account } from '../contract/types.ts';
import { isObject, type JsonObject, omitUndefined, text, textList } from '../json/json.ts';
import { unwrapData } from './record.ts';
import { unreadableResponse } from './unreadableResponse.ts';

/**
 * Workspace and scopes of the key, as far as the response of `GET /me` names them (its body isn't shown in the API
 * text, "Endpoints", gaps).
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
  const found = omitUndefined({ id: text(id), name: text(name) });
  return Object.keys(found).length === 0 ? undefined : found;
}
