import type { IDataObject } from 'n8n-workflow';
import { optionsProperty } from '../../descriptions/options.ts';
import { showFor } from '../../descriptions/showFor.ts';
import type { Operation } from '../Run.ts';

export const description = showFor('qrCode', ['publish'], [optionsProperty()]);

/** Publishes one code an item and returns it as it then is. */
export const execute: Operation = async ({ client, qrCodeId, writeOptions, inTurn }, itemIndex) => {
  const id = await qrCodeId(itemIndex);
  const code = await inTurn(id, () => client.qr.publish(id, writeOptions(itemIndex, { id })));
  return [{ json: code as IDataObject }];
};
