import { describeError, withPublication } from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import type { Bundle, Create, InputFieldGroup, PlainInputField, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { plainError, toZapierError } from '../errors/zapierErrors.ts';
import { ADVANCED_GROUP, DEDUPLICATION_FIELD, textInput, writeOptions, yesNoInput } from '../inputs/readInputs.ts';
import { guarded } from '../errors/withZapierErrors.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';

const CODE_GROUP: InputFieldGroup = { key: 'code', label: 'QR Code' };
const PUBLISHING_GROUP: InputFieldGroup = { key: 'publishing', label: 'Publishing' };

const NAME_FIELD: PlainInputField = {
  key: 'name',
  label: 'Name',
  type: 'string',
  required: true,
  group: CODE_GROUP.key,
  helpText: 'What the app shows; the slug of the short link is made from it.',
};

const TARGET_URL_FIELD: PlainInputField = {
  key: 'targetUrl',
  label: 'Target URL',
  type: 'string',
  required: true,
  group: CODE_GROUP.key,
  helpText:
    'Where the code points, complete with `https://`. It can be changed later without printing the code again.',
};

const PUBLISH_FIELD: PlainInputField = {
  key: 'publishNow',
  label: 'Publish Now',
  type: 'boolean',
  required: false,
  default: 'true',
  group: PUBLISHING_GROUP.key,
  helpText: 'A code leads nowhere until it is published. Choose no to publish it in a later step.',
};

/** Creates a dynamic code that holds a URL and, if asked to, publishes it. */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode> {
  const input = {
    name: textInput(bundle, NAME_FIELD),
    mode: 'dynamic',
    contentType: 'url',
    content: { targetUrl: textInput(bundle, TARGET_URL_FIELD) },
  };
  const publish = yesNoInput(bundle, PUBLISH_FIELD);
  const client = createClient(z, bundle);
  const created = await client.qr.create(input, writeOptions(bundle, 'create_qr_code'));
  if (!publish) return qrCodeRow(created);
  try {
    const published = await client.qr.publish(created.id, writeOptions(bundle, 'create_qr_code.publish'));
    return qrCodeRow(withPublication(created, published));
  } catch (error) {
    throw notPublished(z, created, bundle, error);
  }
}

/** Says that the code exists, and whether running the step again creates another one. */
function notPublished(z: ZObject, created: QrCode, bundle: Bundle, error: unknown): Error {
  const mapped = toZapierError(z, error);
  const isSafeToRepeat = writeOptions(bundle, '').idempotencyKey !== undefined;
  // Zapier runs a throttled step again by itself, which without a deduplication key makes a second code.
  if (mapped.name === 'ThrottledError' && isSafeToRepeat) return mapped;
  const again = isSafeToRepeat
    ? 'or run this step again within 24 hours: with the same Deduplication Key it does not create a second code.'
    : 'do not run this step again: without a Deduplication Key it creates a second code.';
  const isExpired = mapped.name === 'ExpiredAuthError';
  const reason = isExpired ? mapped.message : describeError(error).message;
  const text = `The QR code ${created.id} was created but not published. ${reason} Publish it with the step Publish QR Code, ${again}`;
  // Its class has Zapier ask for a new connection.
  return isExpired ? Object.assign(mapped, { message: text }) : plainError(z, text, 'not_published');
}

export const createQrCode: Create = {
  key: 'create_qr_code',
  noun: 'QR Code',
  display: {
    label: 'Create QR Code',
    description: 'Creates a dynamic QR code that points to a web address, and publishes it if you like.',
  },
  operation: {
    perform: guarded(perform),
    inputFields: [NAME_FIELD, TARGET_URL_FIELD, PUBLISH_FIELD, DEDUPLICATION_FIELD],
    inputFieldGroups: [CODE_GROUP, PUBLISHING_GROUP, ADVANCED_GROUP],
    ...QR_CODE_OUTPUT,
  },
};
