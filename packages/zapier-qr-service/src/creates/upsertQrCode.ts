import {
  ACTIONS,
  CodeUpserter,
  INPUTS,
  MATCH_BY,
  ParameterError,
  SAMPLE_QR_CODE,
} from '@qr-service/core/connector';
import type { Bundle, Create, PlainInputField, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { creationOptions, DEDUPLICATION_FIELD, inputField } from '../inputs/fields.ts';
import { isMapped, oneOfInput, ownInput, textInput } from '../inputs/readInputs.ts';
import { targetInput, URL_PARAMETERS_FIELD } from '../inputs/target.ts';
import { output } from '../resources/outputFields.ts';
import { imagedCodeRow, TARGETED_CODE, TARGETED_CODE_FIELDS } from '../resources/qrCode.ts';
import { SEARCH_MS } from '../resources/qrCodeId.ts';
import { createOnce } from './createOnce.ts';

const KEY = 'upsert_qr_code';

const TARGET_URL_FIELD = inputField(INPUTS.targetUrl);
const MATCH_BY_FIELD = inputField(INPUTS.matchBy, { altersDynamicFields: true });
const CODE_FIELD = inputField(INPUTS.qrCodeId, {
  required: false,
  placeholder: SAMPLE_QR_CODE.id,
  helpText:
    "Map the column with each row's ID or short link. With a fixed value, every row would update the same code. If the cell is empty, a code is created.",
});
const NAME_FIELD = inputField(INPUTS.name);
const NEW_NAME_FIELD: PlainInputField = {
  ...NAME_FIELD,
  required: false,
  helpText: 'The name of a new code. An existing one keeps its name.',
};

const OUTPUT_FIELDS = [
  ...TARGETED_CODE_FIELDS,
  { key: 'outcome', label: 'Outcome', type: 'string' },
] as const;

/** The fields that Match By needs. One that is mapped isn't known while the step is set up. */
function fieldsOfMatchBy(_z: ZObject, bundle: Bundle): PlainInputField[] {
  const matchBy = ownInput(bundle, MATCH_BY_FIELD.key);
  if (matchBy === undefined) return [];
  return matchBy === 'name' ? [NAME_FIELD] : [CODE_FIELD, NEW_NAME_FIELD, DEDUPLICATION_FIELD];
}

/** Points the code that a row names to its target, or creates and publishes it. */
async function perform(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>> {
  const isByName = oneOfInput(bundle, MATCH_BY_FIELD, MATCH_BY) === 'name';
  const code = isByName ? '' : textInput(bundle, CODE_FIELD);
  const name = textInput(bundle, isByName ? NAME_FIELD : NEW_NAME_FIELD);
  const targetUrl = targetInput(bundle, TARGET_URL_FIELD);
  if (!isByName && code === '' && !isMapped(bundle, CODE_FIELD))
    throw new ParameterError("QR Code isn't mapped, so each run would create a new code.", {
      code: 'invalid_input',
      parameter: INPUTS.qrCodeId.label,
      advice: "Map the column with the ID or short link of each row's code, or choose another Match By.",
    });
  const createOptions = isByName ? {} : creationOptions(bundle, KEY);
  const isKeyed = createOptions.idempotencyKey !== undefined;
  const rerun = isByName || code !== '' || isKeyed ? 'finds it' : 'needs a note';
  const client = createClient(z, bundle);
  const codes = new CodeUpserter(client.qr, { searchMs: SEARCH_MS });
  const create = async () => {
    const row = { code, matchBy: isByName ? 'name' : 'id', name, targetUrl } as const;
    // Only the creation has the key: a run sends its change again, and a replay would lose it.
    const { outcome, code: made } = await codes.upsert(row, (write) =>
      write === 'create' ? createOptions : {},
    );
    return { ...made, outcome };
  };
  const made = await createOnce(z, { client, inputs: [KEY, name, targetUrl], isKeyed, rerun, create });
  return imagedCodeRow(z, { outcome: 'created', ...made, targetUrl });
}

export const upsertQrCode: Create = {
  key: KEY,
  noun: 'QR Code',
  display: {
    label: `${ACTIONS.upsert.label} QR Code`,
    description:
      "Updates a QR code's destination, or creates and publishes the code if it doesn't exist yet.",
  },
  operation: {
    perform: withZapierErrors(perform, 'creation'),
    inputFields: [TARGET_URL_FIELD, MATCH_BY_FIELD, fieldsOfMatchBy, URL_PARAMETERS_FIELD],
    ...output(OUTPUT_FIELDS, { ...TARGETED_CODE, outcome: 'created' }),
  },
};
