import type { IExecuteFunctions } from 'n8n-workflow';
import {
  ACTIONS,
  CodeUpserter,
  conflictingRows,
  INPUTS,
  toNewName,
  toRequiredText,
  type UpsertRow,
} from '../../../deps.ts';
import type { Parameters } from '../../platform/parameters.ts';
import { collection, inputProperty } from '../../platform/properties.ts';
import { codeOutput, inputFieldsProperty } from '../common/codeOutput.ts';
import { refuseOneCodeForAll } from '../common/codeReferences.ts';
import { deduplicationKeyOption, describeAction, qrCodeIdProperty } from '../common/descriptions.ts';
import { downloadImagesOption, imagesOf } from '../common/images.ts';
import type { Operation } from '../common/operation.ts';
import { throwUnfinished } from '../common/rowErrors.ts';
import { readTarget, urlParametersOption } from '../common/targetUrl.ts';

export const option = {
  name: ACTIONS.upsert.label,
  action: 'Create or update QR code',
  description: describeAction('upsert'),
};

const matchByProperty = inputProperty(INPUTS.matchBy, {
  required: false,
  default: 'id' satisfies UpsertRow['matchBy'],
  description: 'How to find the code of each item',
});

const { required: _required, ...codeProperty } = {
  ...qrCodeIdProperty,
  default: { mode: 'id', value: '' },
  description:
    'The ID or short link of each code to update. If it is empty, a new code is created: write its ID back to the row.',
  displayOptions: { hide: { matchBy: ['name' satisfies UpsertRow['matchBy']] } },
};

const { required: _nameRequired, ...nameProperty } = inputProperty(INPUTS.name, {
  description: 'Name of a new code. An existing code keeps its name. Without a name, no code is created.',
});

const targetUrlProperty = inputProperty(INPUTS.targetUrl);

const upsertOptions = collection('Option', deduplicationKeyOption, downloadImagesOption, urlParametersOption);

export const properties = [
  matchByProperty,
  codeProperty,
  nameProperty,
  targetUrlProperty,
  inputFieldsProperty,
  upsertOptions,
];

/** Updates each item's code, or creates it. Only an item that doesn't name its code can have a deduplication key. */
export const start: Operation['start'] = (run) => {
  const { client, context, keys, memory, outage, requestOptions, publishOptions } = run;
  const lookups = context.getInputData().length;
  const upserter = new CodeUpserter(client.qr, { ...requestOptions, lookups, memory });
  const rows = new Map<number, UpsertRow>();
  return {
    check(parameters, itemIndex) {
      const matchBy = parameters.oneOf(matchByProperty) as UpsertRow['matchBy'];
      const code = matchBy === 'id' ? readCode(context, parameters) : '';
      const name = parameters.text(nameProperty);
      const targetUrl = readTarget(run, parameters, targetUrlProperty, upsertOptions);
      const output = codeOutput(context, parameters, itemIndex);
      const isNamed = code !== '' || matchBy === 'name';
      if (!isNamed) toNewName(name, INPUTS.name);
      else if (code === '') toRequiredText(name, INPUTS.name);
      const unfinished = { isFoundAgain: isNamed };
      const addImages = imagesOf(run, parameters.in(upsertOptions), unfinished);
      const row = { matchBy, code, name, targetUrl };
      rows.set(itemIndex, row);
      const key = isNamed ? undefined : parameters.in(upsertOptions).key(deduplicationKeyOption);
      const keyOf = keys.ofItem(itemIndex, key);
      let isCreated = false;
      const callOptions = (write: 'create' | 'publish' | 'retarget') => {
        // The item may have waited for another one about the same code. Once a code is created, it isn't unsent any more.
        if (write === 'publish' || isCreated) return publishOptions;
        outage.throwIfDown();
        if (write === 'retarget') return requestOptions;
        isCreated = true;
        return { ...requestOptions, idempotencyKey: keyOf({ write, name, targetUrl }) };
      };
      return async () => {
        const result = await upserter.upsert(row, callOptions).catch(throwUnfinished(context, unfinished));
        // Each run creates the code of such an item, even if an earlier try of this run already has.
        const outcome = isNamed || key !== undefined ? result.outcome : 'created';
        return addImages(result.code, outcome, output(result.code, { outcome }));
      };
    },
    conflicts: () => conflictingRows(rows, (itemIndex) => `item ${itemIndex}`),
  };
};

/** The code that an item names; empty for a new one. A parameter without any value would make each run create all codes again. */
function readCode(context: IExecuteFunctions, parameters: Parameters): string {
  refuseOneCodeForAll(context, parameters, codeProperty);
  if (parameters.isExpression(codeProperty)) return parameters.located(codeProperty);
  const advice =
    'Map it to the field that has the ID or short link of each row, for example {{ $json.id }}: rows where it is empty get a new code. Or set Match By to Name.';
  return parameters.located(codeProperty, advice);
}
