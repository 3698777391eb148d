import type { IDataObject } from 'n8n-workflow';
import { findGaps } from '../../../shared/access.ts';
import type { Operation } from '../../run/Run.ts';

/** The API key's workspace and, if the service returns its scopes, what the key can't be used for. */
export const execute: Operation =
  ({ client, requestOptions }) =>
  async () => {
    const { raw, ...account } = await client.me(requestOptions);
    const gaps = account.scopes === undefined ? {} : findGaps(account.scopes);
    return [{ json: { ...(raw as IDataObject), ...account, ...gaps } }];
  };
