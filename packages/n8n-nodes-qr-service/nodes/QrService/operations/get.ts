import type { IDataObject } from 'n8n-workflow';
import { inOutputOrder } from '../../../deps.ts';
import { qrCodeIdProperty } from '../common/descriptions.ts';
import type { Operation } from '../common/operation.ts';

export const option = {
  name: 'Get',
  action: 'Get QR code',
  description: 'Get a QR code, including its name, status and short link',
};

export const properties = [qrCodeIdProperty];

/** Gets one code by its ID or link. */
export const start: Operation['start'] = ({ client, references, requestOptions }) => ({
  check(parameters) {
    const codeId = references.read(parameters);
    return async () => {
      const code = await client.qr.get(await codeId(), requestOptions);
      return { outputs: [{ json: inOutputOrder(code) as IDataObject }] };
    };
  },
});
