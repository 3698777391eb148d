import { CodeUpserter, INPUTS, MATCH_BY, UPSERT_LABEL, type MatchBy } from '@qr-service/core/connector';
import type { Bundle, Create, InputFieldGroup, PlainInputField, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { CREATE_WORDS, withZapierErrors } from '../errors.ts';
import { ADVANCED_GROUP, creationOptions, DEDUPLICATION_FIELD } from '../inputs/deduplication.ts';
import { inputField } from '../inputs/inputField.ts';
import { oneOfInput, textInput, webAddressInput } from '../inputs/readInputs.ts';
import { output, withAllFields } from '../resources/outputFields.ts';
import { TARGETED_CODE, TARGETED_CODE_FIELDS } from '../resources/qrCode.ts';
import { QR_CODE_ID_FIELD, SEARCH_MS } from '../resources/qrCodeId.ts';
import { createOnce } from './createOnce.ts';
import { UPSERT_LOCK } from './lock.ts';

const KEY = 'upsert_qr_code';

const EXISTING_GROUP: InputFieldGroup = { key: 'existing', label: 'Existing QR Code' };
const CODE_GROUP: InputFieldGroup = { key: 'code', label: 'QR Code' };

const CODE_FIELD: PlainInputField = {
  ...QR_CODE_ID_FIELD,
  required: false,
  group: EXISTING_GROUP.key,
  helpText: `${INPUTS.qrCodeId.help} If it doesn't exist, the step fails.`,
};
/** Without a default: whoever leaves QR Code empty decides whether each run creates a code. */
const MATCH_BY_FIELD = inputField(INPUTS.matchBy, { group: CODE_GROUP.key });
const MATCH_BY_LABELS = Object.fromEntries(
  (INPUTS.matchBy.choices ?? []).map(({ value, label }) => [value, label]),
);
const NAME_FIELD = inputField(INPUTS.name, {
  required: false,
  group: CODE_GROUP.key,
  more: 'Required to create a code. An existing one keeps its name.',
});
const TARGET_URL_FIELD = inputField(INPUTS.targetUrl, { group: CODE_GROUP.key });
const KEY_FIELD: PlainInputField = {
  ...DEDUPLICATION_FIELD,
  helpText: `${INPUTS.deduplicationKey.help} If Match By creates a new code each time, a replay with the same one within 24 hours won't create a second code.`,
};

const OUTPUT_FIELDS = [
  ...TARGETED_CODE_FIELDS,
  { key: 'outcome', label: 'Outcome', type: 'string' },
] as const;

/**
 * Points the code that a row names to its target, or creates and publishes it. Without a name for the code, each run
 * creates one, except with the same deduplication key. Otherwise, a rerun finds the code that an earlier run created.
 */
async function perform(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>> {
  const code = textInput(bundle, CODE_FIELD);
  const matchBy = oneOfInput(bundle, MATCH_BY_FIELD, {
    options: MATCH_BY,
    labels: MATCH_BY_LABELS,
  }) as MatchBy;
  const row = {
    code,
    matchBy,
    name: textInput(bundle, NAME_FIELD),
    targetUrl: webAddressInput(bundle, TARGET_URL_FIELD),
  };
  const createOptions = creationOptions(bundle, KEY);
  // Otherwise, a rerun finds the code that an earlier run created.
  const isKeyed = createOptions.idempotencyKey !== undefined;
  const mayDuplicate = code === '' && matchBy !== 'name' && !isKeyed;
  const client = createClient(z, bundle);
  const codes = new CodeUpserter(client, { searchMs: SEARCH_MS });
  const create = async () => {
    // Repeating a change leads to the same state, and a replay would lose the way from A to B and back to A.
    const { outcome, code } = await codes.upsert(row, (write) => (write === 'create' ? createOptions : {}));
    return { ...code, outcome };
  };
  const { name, targetUrl } = row;
  const noted = mayDuplicate ? { step: KEY, name, targetUrl } : undefined;
  const made = await createOnce(z, { client, isKeyed, mayDuplicate, noted, create });
  return withAllFields(TARGETED_CODE_FIELDS, { outcome: 'created', ...made });
}

export const upsertQrCode: Create = {
  key: KEY,
  noun: 'QR Code',
  display: {
    label: `${UPSERT_LABEL} QR Code`,
    description:
      "Creates and publishes a QR code or, if it exists, updates its destination, so that you don't need to reprint it.",
  },
  operation: {
    perform: withZapierErrors(perform, CREATE_WORDS),
    inputFields: [TARGET_URL_FIELD, MATCH_BY_FIELD, NAME_FIELD, CODE_FIELD, KEY_FIELD],
    inputFieldGroups: [CODE_GROUP, EXISTING_GROUP, ADVANCED_GROUP],
    lock: UPSERT_LOCK,
    ...output(OUTPUT_FIELDS, { ...TARGETED_CODE, outcome: 'created' }),
  },
};
