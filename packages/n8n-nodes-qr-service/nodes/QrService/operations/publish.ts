import { publishCode } from '../../../deps.ts';
import { includeInputFieldsProperty, showFor } from '../common/descriptions.ts';
import { type Operation, resultItem } from '../common/run.ts';

export const description = showFor('qrCode', ['publish'], [includeInputFieldsProperty]);

/** Publishes one code per item and returns the published code. Each run sends it again. */
export const execute: Operation = (run, itemIndex) => {
  const { client, qrCodeId, requestOptions, changeInOrder } = run;
  const output = resultItem(run, itemIndex);
  const codeId = qrCodeId(itemIndex);
  return async () => output(await changeInOrder(codeId, (id) => publishCode(client.qr, id, requestOptions)));
};
