import { createAndPublish, INPUTS, toWebAddress } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Create, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { CREATE_WORDS, withZapierErrors } from '../errors/zapierErrors.ts';
import { creationOptions, DEDUPLICATION_FIELD, inputField } from '../inputs/fields.ts';
import { readInput, textInput, yesNoInput } from '../inputs/readInputs.ts';
import { withAllFields } from '../resources/outputFields.ts';
import { TARGETED_CODE_FIELDS, TARGETED_CODE_OUTPUT } from '../resources/qrCode.ts';
import { createOnce } from './createOnce.ts';

const KEY = 'create_qr_code';

const NAME_FIELD = inputField(INPUTS.name);
const TARGET_URL_FIELD = inputField(INPUTS.targetUrl);
const PUBLISH_FIELD = inputField(INPUTS.publish, { key: 'publishNow', label: 'Publish Now' });

/**
 * Creates a dynamic code for a URL and, by default, publishes it. The deduplication key applies only to the creation:
 * publishing leads to the same state however often it is repeated.
 */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode> {
  const name = textInput(bundle, NAME_FIELD);
  const targetUrl = readInput(bundle, TARGET_URL_FIELD, toWebAddress);
  const publish = yesNoInput(bundle, PUBLISH_FIELD);
  const createOptions = creationOptions(bundle, KEY);
  const isKeyed = createOptions.idempotencyKey !== undefined;
  // The search of a rerun could find a draft and return it unpublished, in a successful run.
  const isAfterSearch = publish && bundle.meta.withSearch !== undefined;
  const client = createClient(z, bundle);
  const code = await createOnce(z, {
    client,
    targetUrl,
    isKeyed,
    mayDuplicate: !isKeyed || isAfterSearch,
    noted: publish && !isKeyed && !isAfterSearch ? [KEY, name, targetUrl] : undefined,
    create: () => createAndPublish(client.qr, { name, targetUrl }, { publish, createOptions }),
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
    ...TARGETED_CODE_OUTPUT,
  },
};
