import type { IDataObject } from 'n8n-workflow';
import { operationProperty, showFor } from '../common/descriptions.ts';
import { findGaps } from '../../platform/access.ts';
import { type Operation } from '../common/run.ts';

/** The Operation parameter of the account. */
export const accountOperation = operationProperty('get', [
  [
    'get',
    'Get',
    'Get account',
    "Get the API key's workspace and scopes, and what doesn't work without the missing scopes",
  ],
]);

export const description = showFor('account', [], [accountOperation]);

/** The API key's workspace and, if the service returns its scopes, what the key can't be used for. */
export const execute: Operation =
  ({ client, requestOptions }) =>
  async () => {
    const { raw, ...account } = await client.me(requestOptions);
    const gaps = account.scopes === undefined ? {} : findGaps(account.scopes);
    return [{ json: { ...(raw as IDataObject), ...account, ...gaps } }];
  };
