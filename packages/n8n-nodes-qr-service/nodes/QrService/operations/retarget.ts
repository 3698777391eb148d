import { INPUTS, retargetCode } from '../../../core.ts';
import { includeInputFieldsOption, optionsProperty, showFor } from '../common/descriptions.ts';
import { inputProperty } from '../../shared/inputProperty.ts';
import { type Operation, resultItem } from '../common/run.ts';

const urlProperty = inputProperty(INPUTS.url);

export const description = showFor(
  'qrCode',
  ['retarget'],
  [urlProperty, optionsProperty([includeInputFieldsOption])],
);

/** Changes where one code per item points and returns the updated code with its new target. */
export const execute: Operation = (run, itemIndex) => {
  const { parameters, client, memory, qrCodeId, requestOptions, writeOptions, changeInOrder } = run;
  const url = parameters(itemIndex).webAddress(urlProperty);
  client.qr.checkTargets({ url });
  const output = resultItem(run, itemIndex);
  const codeId = qrCodeId(itemIndex);
  const optionsFor = writeOptions(itemIndex);
  const change = (id: string, isAfterFailure: boolean) => {
    // For Create or Update: reads may still show the code as it was.
    memory.forgetTarget(id);
    // If a retry carries out the earlier item, this one must follow it again: a replay would change nothing.
    return retargetCode(client.qr, id, url, isAfterFailure ? requestOptions : optionsFor({ id, url }));
  };
  return async () => output(await changeInOrder(codeId, change));
};
