import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../Run.ts';

/** Publishes one code an item and returns it as it then is. */
export const execute: Operation = async ({ client, qrCodeId, writeOptions }, itemIndex) => {
  const id = await qrCodeId(itemIndex);
  const code = await client.qr.publish(id, writeOptions(itemIndex, { id }));
  return [{ json: code as IDataObject }];
};
