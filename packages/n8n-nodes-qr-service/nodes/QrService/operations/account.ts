import type { IDataObject } from 'n8n-workflow';
import { missingScopes, omitUndefined } from '../../../deps.ts';
import { SCOPE_USES } from '../../platform/access.ts';
import type { Operation } from '../common/operation.ts';

export const option = {
  name: 'Get',
  action: 'Get account',
  description: "Get the API key's workspace and scopes, and what doesn't work without the missing scopes",
};

export const properties = [];

/** The API key's workspace and, if the service returns its scopes, what the key can't be used for. */
export const start: Operation['start'] = ({ client, requestOptions }) => ({
  check: () => async () => {
    const { raw, ...account } = await client.me(requestOptions);
    const missing = account.scopes && missingScopes(account.scopes).map(({ scope }) => scope);
    const unavailable = missing?.map((scope) => SCOPE_USES[scope] ?? scope);
    const gaps = omitUndefined({ missingScopes: missing, unavailable });
    return { outputs: [{ json: { ...(raw as IDataObject), ...account, ...gaps } }] };
  },
});
