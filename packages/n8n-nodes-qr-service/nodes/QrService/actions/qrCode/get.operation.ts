import type { IDataObject } from 'n8n-workflow';
import { optionsProperty } from '../../descriptions/options.ts';
import { showFor } from '../../descriptions/showFor.ts';
import type { Operation } from '../../run/Run.ts';

export const description = showFor('qrCode', ['get'], [optionsProperty()]);

/** One code by its id or link. */
export const execute: Operation = async ({ client, qrCodeId, readOptions }, itemIndex) => {
  const code = await client.qr.get(await qrCodeId(itemIndex), readOptions);
  return [{ json: code as IDataObject }];
};
