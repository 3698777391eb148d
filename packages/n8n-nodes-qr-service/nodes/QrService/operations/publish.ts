import { publishCode } from '../../../core.ts';
import { includeInputFieldsOption, optionsProperty, showFor } from '../common/descriptions.ts';
import { type Operation, resultItem } from '../common/run.ts';

export const description = showFor('qrCode', ['publish'], [optionsProperty([includeInputFieldsOption])]);

/** Publishes one code per item and returns the published code. */
export const execute: Operation = (run, itemIndex) => {
  const { client, qrCodeId, writeOptions, changeInOrder } = run;
  const output = resultItem(run, itemIndex);
  const codeId = qrCodeId(itemIndex);
  const optionsFor = writeOptions(itemIndex);
  return async () =>
    output(await changeInOrder(codeId, (id) => publishCode(client.qr, id, optionsFor({ id }))));
};
