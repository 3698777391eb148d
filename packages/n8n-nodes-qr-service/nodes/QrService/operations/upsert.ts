import {
  INPUTS,
  isNotPublishedError,
  ParameterError,
  toRequiredText,
  type UpsertRow,
} from '../../../deps.ts';
import {
  deduplicationKeyOption,
  includeInputFieldsProperty,
  optionsProperty,
  qrCodeIdProperty,
  showFor,
} from '../common/descriptions.ts';
import { toNotPublishedError } from '../common/rowErrors.ts';
import { checkOwnCode, type Operation, resultItem, type Run } from '../common/run.ts';
import { inputProperty } from '../../platform/inputProperty.ts';

const matchByProperty = inputProperty(INPUTS.matchBy, {
  required: false,
  default: 'id' satisfies UpsertRow['matchBy'],
  description: 'How to find the code of each item',
});

const { required: _required, ...codeProperty } = {
  ...qrCodeIdProperty,
  default: { mode: 'id', value: '' },
  description:
    'The ID or short link of each code to update. For an item where it is empty, a new code is created: write its ID back to the row.',
  displayOptions: { hide: { matchBy: ['name' satisfies UpsertRow['matchBy']] } },
};

const { required: _nameRequired, ...nameProperty } = inputProperty(INPUTS.name, {
  description: 'Name of a new code. An existing code keeps its name. Without a name, no code is created.',
});

const targetUrlProperty = inputProperty(INPUTS.targetUrl);

const upsertOptions = optionsProperty(deduplicationKeyOption);

export const description = showFor(
  'qrCode',
  ['upsert'],
  [matchByProperty, codeProperty, nameProperty, targetUrlProperty, includeInputFieldsProperty, upsertOptions],
);

/**
 * Points each item's code to its target or creates and publishes one. Only the creation of a code that the item doesn't
 * name can have the user's deduplication key.
 */
export const execute: Operation = (run, itemIndex) => {
  const { client, context, parameters, upserter, writeOptions, hasDeduplicationKey, outage, requestOptions } =
    run;
  const values = parameters(itemIndex);
  const matchBy = values.oneOf(matchByProperty) as UpsertRow['matchBy'];
  const row = {
    code: matchBy === 'id' ? readCode(run, itemIndex) : '',
    matchBy,
    name: values.text(nameProperty),
    targetUrl: values.webAddress(targetUrlProperty),
  };
  client.qr.checkTarget(row.targetUrl);
  const output = resultItem(run, itemIndex);
  if (row.code === '') toRequiredText(row.name, INPUTS.name);
  run.upsertRows.set(itemIndex, row);
  const isNamed = row.code !== '' || row.matchBy === 'name';
  const creation = writeOptions(itemIndex, !isNamed);
  return async () => {
    try {
      const { outcome, code } = await upserter.upsert(row, (write) => {
        // The item may have waited for another one about the same code. Once a code is created, it isn't unsent any more.
        if (write !== 'publish') outage.throwIfDown();
        return write === 'create'
          ? creation({ write, name: row.name, targetUrl: row.targetUrl })
          : requestOptions;
      });
      // Each run creates the code of such an item, even if an earlier try of this run already has.
      const isOwn = !isNamed && !hasDeduplicationKey(itemIndex);
      return output(code, { outcome: isOwn ? 'created' : outcome });
    } catch (error) {
      throw isNotPublishedError(error) ? toNotPublishedError(context, error, isNamed) : error;
    }
  };
};

/** The code that an item names; empty for a new one. A parameter without any value would make each run create all codes again. */
function readCode(run: Run, itemIndex: number): string {
  checkOwnCode(run, itemIndex, codeProperty);
  const values = run.parameters(itemIndex);
  const code = values.located(codeProperty);
  if (code !== '' || values.isExpression(codeProperty)) return code;
  throw new ParameterError(`${codeProperty.displayName} is empty.`, {
    code: 'validation_failed',
    parameter: codeProperty.displayName,
    advice:
      'Map it to the field that has the ID or short link of each row, for example {{ $json.id }}: rows where it is empty get a new code. Or set Match By to Name.',
  });
}
