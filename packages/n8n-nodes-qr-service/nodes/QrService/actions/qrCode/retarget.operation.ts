import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { optionsProperty } from '../../descriptions/options.ts';
import { showFor } from '../../descriptions/showFor.ts';
import type { Operation } from '../../run/Run.ts';

const urlProperty: INodeProperties = {
  displayName: 'New Target URL',
  name: 'url',
  type: 'string',
  required: true,
  default: '',
  placeholder: 'e.g. https://example.com/summer-menu',
  description: 'Web address that scans of the code lead to from now on, complete with https://',
};

export const description = showFor('qrCode', ['retarget'], [urlProperty, optionsProperty()]);

/** Changes where one code per item points and returns the updated code. */
export const execute: Operation = async (
  { parameters, client, qrCodeId, writeOptions, serializeByKey },
  itemIndex,
) => {
  const url = parameters(itemIndex).text(urlProperty);
  const id = await qrCodeId(itemIndex);
  const code = await serializeByKey(id, () =>
    client.qr.retarget(id, url, writeOptions(itemIndex, { id, url })),
  );
  return [{ json: code as IDataObject }];
};
