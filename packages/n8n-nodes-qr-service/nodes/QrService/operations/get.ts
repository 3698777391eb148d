import type { IDataObject } from 'n8n-workflow';
import { inOutputOrder } from '../../../deps.ts';
import { type Operation } from '../common/run.ts';

/** Gets one code by its ID or link. */
export const execute: Operation = ({ client, qrCodeId, requestOptions }, itemIndex) => {
  const codeId = qrCodeId(itemIndex);
  return async () => [
    { json: inOutputOrder(await client.qr.get(await codeId(), requestOptions)) as IDataObject },
  ];
};
