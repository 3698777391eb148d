import { createAndPublish, INPUTS } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Create, InputFieldGroup, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { CREATE_WORDS } from '../errors/errorWords.ts';
import { ADVANCED_GROUP, creationOptions, DEDUPLICATION_FIELD } from '../inputs/deduplication.ts';
import { inputField } from '../inputs/inputField.ts';
import { textInput, webAddressInput, yesNoInput } from '../inputs/readInputs.ts';
import { withAllFields } from '../resources/outputFields.ts';
import { TARGETED_CODE_FIELDS, TARGETED_CODE_OUTPUT } from '../resources/qrCode.ts';
import { createOnce } from './createOnce.ts';
import { stepDescription } from './stepDescription.ts';

const KEY = 'create_qr_code';

const CODE_GROUP: InputFieldGroup = { key: 'code', label: 'QR Code' };
const PUBLISHING_GROUP: InputFieldGroup = { key: 'publishing', label: 'Publishing' };

const NAME_FIELD = inputField(INPUTS.name, { group: CODE_GROUP.key });
const TARGET_URL_FIELD = inputField(INPUTS.targetUrl, { group: CODE_GROUP.key });
const PUBLISH_FIELD = inputField(INPUTS.publish, {
  key: 'publishNow',
  label: 'Publish Now',
  group: PUBLISHING_GROUP.key,
  more: 'Choose no to publish it in a later step.',
});

/**
 * Creates a dynamic code for a URL and, by default, publishes it. The deduplication key applies only to the creation:
 * publishing leads to the same state however often it is repeated.
 */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode> {
  const name = textInput(bundle, NAME_FIELD);
  const targetUrl = webAddressInput(bundle, TARGET_URL_FIELD);
  const input = { name, mode: 'dynamic', contentType: 'url', content: { targetUrl } };
  const publish = yesNoInput(bundle, PUBLISH_FIELD);
  const createOptions = creationOptions(bundle, KEY);
  const unsafe = createOptions.idempotencyKey === undefined ? 'any' : 'withAnotherApiKey';
  const client = createClient(z, bundle);
  const options = { publish, createOptions, publishOptions: () => ({}), targetUrl };
  const create = () => createAndPublish(client, input, options);
  const code = await createOnce(z, { client, step: KEY, name, targetUrl, publish, unsafe, create });
  return withAllFields(TARGETED_CODE_FIELDS, code);
}

export const createQrCode: Create = {
  key: KEY,
  noun: 'QR Code',
  display: { label: 'Create QR Code', description: stepDescription('create') },
  operation: {
    perform: withZapierErrors(perform, CREATE_WORDS),
    inputFields: [NAME_FIELD, TARGET_URL_FIELD, PUBLISH_FIELD, DEDUPLICATION_FIELD],
    inputFieldGroups: [CODE_GROUP, PUBLISHING_GROUP, ADVANCED_GROUP],
    ...TARGETED_CODE_OUTPUT,
  },
};
