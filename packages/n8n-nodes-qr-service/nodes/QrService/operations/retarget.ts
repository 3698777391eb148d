import { INPUTS, retargetCode } from '../../../deps.ts';
import { includeInputFieldsProperty, qrCodeIdProperty, showFor } from '../common/descriptions.ts';
import { inputProperty } from '../../platform/inputProperty.ts';
import { checkOwnCode, type Operation, resultItem } from '../common/run.ts';

const urlProperty = inputProperty(INPUTS.url);

export const description = showFor('qrCode', ['retarget'], [urlProperty, includeInputFieldsProperty]);

/** Changes where one code per item points and returns the updated code with its new target. Each run sends the change again. */
export const execute: Operation = (run, itemIndex) => {
  const { client, memory, requestOptions, changeInOrder } = run;
  const url = run.parameters(itemIndex).webAddress(urlProperty);
  client.qr.checkTarget(url);
  const output = resultItem(run, itemIndex);
  checkOwnCode(run, itemIndex, qrCodeIdProperty);
  const codeId = run.qrCodeId(itemIndex);
  const change = (id: string) => {
    // For Create or Update: reads may still show the code as it was.
    memory.forgetTarget(id);
    return retargetCode(client.qr, id, url, requestOptions);
  };
  return async () => output(await changeInOrder(codeId, change));
};
