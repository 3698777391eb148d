import {
  createAndPublish,
  describeNotPublished,
  INPUTS,
  isNotPublishedError,
  type NotPublishedError,
} from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Create, InputFieldGroup, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { CREATE_WORDS, notPublishedWords } from '../errors/errorWords.ts';
import { asText, plainError, toZapierError } from '../errors/zapierErrors.ts';
import {
  ADVANCED_GROUP,
  DEDUPLICATION_FIELD,
  hasDeduplicationKey,
  writeOptions,
} from '../inputs/deduplication.ts';
import { inputField } from '../inputs/inputField.ts';
import { textInput, yesNoInput } from '../inputs/readInputs.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';
import { stepDescription } from './stepDescription.ts';

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

/** Creates a dynamic code that holds a URL and publishes it unless told not to. */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode> {
  const input = {
    name: textInput(bundle, NAME_FIELD),
    mode: 'dynamic',
    contentType: 'url',
    content: { targetUrl: textInput(bundle, TARGET_URL_FIELD) },
  };
  const publish = yesNoInput(bundle, PUBLISH_FIELD);
  const createOptions = writeOptions(bundle, 'create_qr_code');
  const publishOptions = writeOptions(bundle, 'create_qr_code.publish');
  try {
    const client = createClient(z, bundle);
    return qrCodeRow(
      await createAndPublish(client, input, {
        publish,
        createOptions,
        publishOptions: () => publishOptions,
      }),
    );
  } catch (error) {
    throw isNotPublishedError(error) ? notPublished(z, bundle, error) : error;
  }
}

/** Says that the code exists, and whether running the step again creates a duplicate. */
function notPublished(z: ZObject, bundle: Bundle, error: NotPublishedError): Error {
  const mapped = toZapierError(z, error.cause, { words: CREATE_WORDS });
  const isSafeToRepeat = hasDeduplicationKey(bundle);
  // Zapier itself runs a throttled step again, which creates a duplicate without a deduplication key.
  if (mapped.name === 'ThrottledError' && isSafeToRepeat) return mapped;
  const text = asText(describeNotPublished(error, notPublishedWords(isSafeToRepeat)), error.cause);
  // The class of this error makes Zapier ask for a new connection.
  if (mapped.name === 'ExpiredAuthError') return Object.assign(mapped, { message: text });
  return plainError(z, text, error.code);
}

export const createQrCode: Create = {
  key: 'create_qr_code',
  noun: 'QR Code',
  display: { label: 'Create QR Code', description: stepDescription('create') },
  operation: {
    perform: withZapierErrors(perform, CREATE_WORDS),
    inputFields: [NAME_FIELD, TARGET_URL_FIELD, PUBLISH_FIELD, DEDUPLICATION_FIELD],
    inputFieldGroups: [CODE_GROUP, PUBLISHING_GROUP, ADVANCED_GROUP],
    ...QR_CODE_OUTPUT,
  },
};
