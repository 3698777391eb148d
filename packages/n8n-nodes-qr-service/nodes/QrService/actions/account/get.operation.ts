import type { IDataObject } from 'n8n-workflow';
import { findGaps } from '../../../shared/access.ts';
import type { Operation } from '../../run/Run.ts';

/** The workspace that the key opens and, where the service tells its scopes, what it can't be used for. */
export const execute: Operation = async ({ client, readOptions }) => {
  const { raw, ...account } = await client.me(readOptions);
  const gaps = account.scopes === undefined ? {} : findGaps(account.scopes);
  return [{ json: { ...(raw as IDataObject), ...account, ...gaps } }];
};
