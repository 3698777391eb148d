import type { IDataObject } from 'n8n-workflow';
import { optionsProperty } from '../../descriptions/options.ts';
import { showFor } from '../../descriptions/showFor.ts';
import type { Operation } from '../../run/Run.ts';

export const description = showFor('qrCode', ['publish'], [optionsProperty()]);

/** Publishes one code per item and returns the published code. */
export const execute: Operation = async ({ client, qrCodeId, writeOptions, serializeByKey }, itemIndex) => {
  const id = await qrCodeId(itemIndex);
  const code = await serializeByKey(id, () => client.qr.publish(id, writeOptions(itemIndex, { id })));
  return [{ json: code as IDataObject }];
};
