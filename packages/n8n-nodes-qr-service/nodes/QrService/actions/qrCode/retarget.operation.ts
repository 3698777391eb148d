import type { IDataObject } from 'n8n-workflow';
import { INPUTS } from '../../../../core.ts';
import { optionsProperty } from '../../descriptions/options.ts';
import { inputProperty } from '../../../shared/inputProperty.ts';
import { showFor } from '../../descriptions/showFor.ts';
import type { Operation } from '../../run/Run.ts';

const urlProperty = inputProperty(INPUTS.url);

export const description = showFor('qrCode', ['retarget'], [urlProperty, optionsProperty()]);

/** Changes where one code per item points and returns the updated code with its new target, which a code doesn't have. */
export const execute: Operation = async (
  { parameters, client, qrCodeId, writeOptions, serializeByKey },
  itemIndex,
) => {
  const url = parameters(itemIndex).text(urlProperty);
  const id = await qrCodeId(itemIndex);
  const code = await serializeByKey(id, () =>
    client.qr.retarget(id, url, writeOptions(itemIndex, { id, url })),
  );
  return [{ json: { ...(code as IDataObject), targetUrl: url } }];
};
