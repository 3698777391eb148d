import { checkNewCode, INPUTS, isNotPublishedError, type MatchBy } from '../../../core.ts';
import {
  deduplicationKeyOption,
  includeInputFieldsOption,
  optionsProperty,
  qrCodeIdProperty,
  showFor,
} from '../common/descriptions.ts';
import { notPublished } from '../common/rowErrors.ts';
import { type Operation, resultItem } from '../common/run.ts';
import { inputProperty } from '../../shared/inputProperty.ts';

const { required: _required, ...optionalCodeProperty } = qrCodeIdProperty;

const codeProperty = {
  ...optionalCodeProperty,
  description:
    'Choose a QR code from the list, or use its ID or short link from an earlier node. If it is empty, see Match By.',
};

const matchByProperty = inputProperty(INPUTS.matchBy, {
  default: 'name' satisfies MatchBy,
  options: [
    {
      name: 'Name',
      value: 'name',
      description: 'Use the code with exactly this name, and create it if there is none',
    },
    {
      name: 'QR Code',
      value: 'id',
      description: 'Create a new code for each item without a QR code, again in every execution',
    },
  ],
});

const { required: _nameRequired, ...nameProperty } = inputProperty(INPUTS.name, {
  description: 'Name of a new code. An existing code keeps its name. Without a name, no code is created.',
});

const targetUrlProperty = inputProperty(INPUTS.targetUrl);

const upsertOptions = optionsProperty([deduplicationKeyOption, includeInputFieldsOption]);

export const description = showFor(
  'qrCode',
  ['upsert'],
  [codeProperty, matchByProperty, nameProperty, targetUrlProperty, upsertOptions],
);

/**
 * Points each item's code to its target or, if it names none, creates and publishes one. Only the creation of a code
 * that the item doesn't name can have the user's deduplication key: a replayed update would leave the code as it is.
 */
export const execute: Operation = (run, itemIndex) => {
  const { client, context, parameters, upserter, writeOptions, hasDeduplicationKey, outage } = run;
  const values = parameters(itemIndex);
  const row = {
    code: values.located(codeProperty),
    matchBy: values.oneOf(matchByProperty) as MatchBy,
    name: values.text(nameProperty),
    targetUrl: values.webAddress(targetUrlProperty),
  };
  client.qr.checkTargets({ targetUrl: row.targetUrl });
  const output = resultItem(run, itemIndex);
  if (row.code === '') checkNewCode(row);
  run.upsertRows.set(itemIndex, row);
  const isNamed = row.code !== '' || row.matchBy === 'name';
  const creation = writeOptions(itemIndex, !isNamed);
  const change = writeOptions(itemIndex, false);
  return async () => {
    try {
      const { outcome, code } = await upserter.upsert(row, (write, payload) => {
        // The item may have waited for another one about the same code. Once a code is created, it isn't unsent any more.
        if (write !== 'publish') outage.throwIfDown();
        return (write === 'create' ? creation : change)({ write, ...payload });
      });
      // Each run creates the code of such an item, even if an earlier try of this run already has.
      const isOwn = !isNamed && !hasDeduplicationKey(itemIndex);
      return output(code, { outcome: isOwn ? 'created' : outcome });
    } catch (error) {
      throw isNotPublishedError(error) ? notPublished(context, error, isNamed) : error;
    }
  };
};
