import { publishCode } from '../../../../core.ts';
import { includeInputFieldsOption, optionsProperty } from '../../descriptions/options.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { resultItem } from '../../run/resultItem.ts';
import type { Operation } from '../../run/Run.ts';

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
