import { createAndPublish, INPUTS } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Create, InputFieldGroup, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { CREATE_WORDS, withZapierErrors } from '../errors.ts';
import { ADVANCED_GROUP, creationOptions, DEDUPLICATION_FIELD } from '../inputs/deduplication.ts';
import { inputField } from '../inputs/inputField.ts';
import { textInput, webAddressInput, yesNoInput } from '../inputs/readInputs.ts';
import { withAllFields } from '../resources/outputFields.ts';
import { TARGETED_CODE_FIELDS, TARGETED_CODE_OUTPUT } from '../resources/qrCode.ts';
import { createOnce } from './createOnce.ts';

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
  const isKeyed = createOptions.idempotencyKey !== undefined;
  // The search of a rerun could find a draft and return it unpublished, in a successful run.
  const isAfterSearch = publish && bundle.meta.withSearch !== undefined;
  const client = createClient(z, bundle);
  const code = await createOnce(z, {
    client,
    isKeyed,
    mayDuplicate: !isKeyed || isAfterSearch,
    noted: publish && !isKeyed && !isAfterSearch ? { step: KEY, name, targetUrl } : undefined,
    create: () =>
      createAndPublish(client, input, { publish, createOptions, publishOptions: () => ({}), targetUrl }),
  });
  return withAllFields(TARGETED_CODE_FIELDS, code);
}

export const createQrCode: Create = {
  key: KEY,
  noun: 'QR Code',
  display: {
    label: 'Create QR Code',
    description: 'Creates a new dynamic QR code for a web address, even if another one has the same name.',
  },
  operation: {
    perform: withZapierErrors(perform, CREATE_WORDS),
    inputFields: [NAME_FIELD, TARGET_URL_FIELD, PUBLISH_FIELD, DEDUPLICATION_FIELD],
    inputFieldGroups: [CODE_GROUP, PUBLISHING_GROUP, ADVANCED_GROUP],
    ...TARGETED_CODE_OUTPUT,
  },
};
