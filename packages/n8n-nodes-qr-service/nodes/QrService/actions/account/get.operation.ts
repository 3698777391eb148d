import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../Run.ts';

/** The workspace that the key opens, and its scopes where the service tells. */
export const execute: Operation = async ({ client, readOptions }) => {
  const { raw, ...account } = await client.me(readOptions);
  return [{ json: { ...(raw as IDataObject), ...account } }];
};
