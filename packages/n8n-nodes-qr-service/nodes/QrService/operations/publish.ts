import { publishCode } from '../../../deps.ts';
import { codeOutput, inputFieldsProperty } from '../common/codeOutput.ts';
import { changesInOrder } from '../common/codeReferences.ts';
import { describeAction, qrCodeIdProperty } from '../common/descriptions.ts';
import type { Operation } from '../common/operation.ts';

export const option = { name: 'Publish', action: 'Publish QR code', description: describeAction('publish') };

export const properties = [qrCodeIdProperty, inputFieldsProperty];

/** Publishes one code per item and returns the published code. Each run sends it again. */
export const start: Operation['start'] = (run) => {
  const { client, context, references, requestOptions } = run;
  const changeInOrder = changesInOrder(run);
  return {
    check(parameters, itemIndex) {
      const output = codeOutput(context, parameters, itemIndex);
      const codeId = references.read(parameters);
      return async () => {
        const code = await changeInOrder(codeId, (id) => publishCode(client.qr, id, requestOptions));
        return { outputs: output(code), outcome: 'published' };
      };
    },
  };
};
