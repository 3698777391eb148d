import type { IDataObject } from 'n8n-workflow';
import { optionsProperty } from '../../descriptions/options.ts';
import { showFor } from '../../descriptions/showFor.ts';
import type { Operation } from '../../run/Run.ts';

export const description = showFor('qrCode', ['get'], [optionsProperty()]);

/** Gets one code by its ID or link. */
export const execute: Operation = async ({ client, qrCodeId, requestOptions }, itemIndex) => {
  const code = await client.qr.get(await qrCodeId(itemIndex), requestOptions);
  return [{ json: code as IDataObject }];
};
