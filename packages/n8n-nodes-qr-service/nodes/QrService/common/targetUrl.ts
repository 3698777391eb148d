import type { INodeProperties } from 'n8n-workflow';
import { INPUTS, withUrlParameters } from '../../../deps.ts';
import type { Parameters } from '../../platform/parameters.ts';
import { inputProperty } from '../../platform/properties.ts';
import type { Run } from './startRun.ts';

/** Parameters to add to a target URL. */
export const urlParametersOption = inputProperty(INPUTS.urlParameters, {
  placeholder: 'Add Parameter',
  typeOptions: { multipleValues: true },
  options: [
    {
      displayName: 'Parameter',
      name: 'parameter',
      values: [
        { displayName: 'Name', name: 'name', type: 'string', default: '', placeholder: 'e.g. utm_source' },
        { displayName: 'Value', name: 'value', type: 'string', default: '', placeholder: 'e.g. qr' },
      ],
    },
  ],
});

/** Reads where an item's code should point, with its URL parameters. Throws if the credential doesn't allow it. */
export function readTarget(run: Run, parameters: Parameters, url: INodeProperties, options: INodeProperties) {
  const address = parameters.webAddress(url);
  const added = parameters.in(options).pairs(urlParametersOption, 'parameter');
  const target = withUrlParameters(address, added, { label: urlParametersOption.displayName });
  run.client.qr.checkTarget(target);
  return target;
}
