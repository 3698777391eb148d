import type { QrCode } from '@qr-service/core';
import { createAndPublish, INPUTS, toNewName } from '@qr-service/core/connector';
import type { Bundle, Create, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { creationOptions, DEDUPLICATION_FIELD, inputField } from '../inputs/fields.ts';
import { readInput, yesNoInput } from '../inputs/readInputs.ts';
import { targetInput, URL_PARAMETERS_FIELD } from '../inputs/target.ts';
import { imagedCodeRow, TARGETED_CODE_OUTPUT } from '../resources/qrCode.ts';
import { createOnce, type Rerun } from './createOnce.ts';

const KEY = 'create_qr_code';

const NAME_FIELD = inputField(INPUTS.name);
const TARGET_URL_FIELD = inputField(INPUTS.targetUrl);
const PUBLISH_FIELD = inputField(INPUTS.publish, { key: 'publishNow', label: 'Publish Now' });

/**
 * Creates a dynamic code for a URL and, by default, publishes it. The deduplication key applies only to the creation:
 * publishing leads to the same state however often it is repeated.
 */
async function perform(z: ZObject, bundle: Bundle): Promise<QrCode> {
  const name = readInput(bundle, NAME_FIELD, toNewName);
  const targetUrl = targetInput(bundle, TARGET_URL_FIELD);
  const publish = yesNoInput(bundle, PUBLISH_FIELD);
  const createOptions = creationOptions(bundle, KEY);
  const isKeyed = createOptions.idempotencyKey !== undefined;
  const client = createClient(z, bundle);
  const code = await createOnce(z, {
    client,
    inputs: [KEY, name, targetUrl],
    isKeyed,
    rerun: rerunOf(bundle, publish, isKeyed),
    create: () => createAndPublish(client.qr, { name, targetUrl }, { publish, createOptions }),
  });
  return imagedCodeRow(z, { ...code, targetUrl });
}

function rerunOf({ meta }: Bundle, publish: boolean, isKeyed: boolean): Rerun {
  // In "find or create", the search could find a draft and return it unpublished, in a successful run.
  if (publish && meta.withSearch !== undefined) return 'may duplicate it';
  if (isKeyed) return 'finds it';
  return publish ? 'needs a note' : 'may duplicate it';
}

export const createQrCode: Create = {
  key: KEY,
  noun: 'QR Code',
  display: {
    label: 'Create QR Code',
    description: 'Creates a dynamic QR code for a URL, even if another one has the same name.',
  },
  operation: {
    perform: withZapierErrors(perform, 'creation'),
    inputFields: [NAME_FIELD, TARGET_URL_FIELD, URL_PARAMETERS_FIELD, PUBLISH_FIELD, DEDUPLICATION_FIELD],
    ...TARGETED_CODE_OUTPUT,
  },
};
