import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../Run.ts';

/** One code by its id or link. */
export const execute: Operation = async ({ client, qrCodeId, readOptions }, itemIndex) => {
  const code = await client.qr.get(await qrCodeId(itemIndex), readOptions);
  return [{ json: code as IDataObject }];
};
