import type { INodeExecutionData } from 'n8n-workflow';
import { INPUTS, retargetCode } from '../../../deps.ts';
import { collection, inputProperty } from '../../platform/properties.ts';
import { codeOutput, inputFieldsProperty } from '../common/codeOutput.ts';
import { changesInOrder, fieldsAbout, refuseOneCodeForAll } from '../common/codeReferences.ts';
import { describeAction, qrCodeIdProperty } from '../common/descriptions.ts';
import type { Operation } from '../common/operation.ts';
import { readTarget, urlParametersOption } from '../common/targetUrl.ts';

export const option = {
  name: 'Update Destination',
  action: 'Update QR code destination',
  description: describeAction('retarget'),
};

const urlProperty = inputProperty(INPUTS.url);

const options = collection('Option', urlParametersOption);

export const properties = [qrCodeIdProperty, urlProperty, inputFieldsProperty, options];

/** Updates the destination of one code per item and returns the updated code. Each run sends the change again. */
export const start: Operation['start'] = (run) => {
  const { client, context, memory, references, requestOptions } = run;
  const changeInOrder = changesInOrder(run);
  return {
    check(parameters, itemIndex) {
      const url = readTarget(run, parameters, urlProperty, options);
      const output = codeOutput(context, parameters, itemIndex);
      refuseOneCodeForAll(context, parameters, qrCodeIdProperty);
      const codeId = references.read(parameters);
      const item = context.getInputData()[itemIndex] as INodeExecutionData;
      return async () => {
        const code = await changeInOrder(codeId, (id) => {
          // For Create or Update: reads may still show the code as it was.
          memory.forgetTarget(id);
          const known = { ...fieldsAbout(id, item), ...references.codes().latest({ id }) };
          return retargetCode(client.qr, known, url, requestOptions);
        });
        return { outputs: output(code), outcome: 'updated' };
      };
    },
  };
};
