import type { QrCode } from '@qr-service/core';
import {
  CodeFinder,
  isOwnError,
  type PlatformClient,
  readCodeReference,
  SAMPLE_QR_CODE,
} from '@qr-service/core/connector';
import type { Bundle, PlainInputField, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { textInput } from '../inputs/readInputs.ts';
import { imagedCodeRow, QR_CODE_OUTPUT } from '../resources/qrCode.ts';
import { SEARCH_MS } from '../resources/qrCodeId.ts';

const VALUE_FIELD: PlainInputField = {
  key: 'value',
  label: 'ID, Short Link or Name',
  placeholder: 'Table 4',
  type: 'string',
  required: true,
  helpText: `For example \`${SAMPLE_QR_CODE.id}\` or \`Table 4\`. If several codes share a name, the step fails. Drafts and archived codes are found, too: see Status.`,
};

/** Text that may be an ID: what IDs look like isn't documented (docs/api.md#qr-codes). */
const MAYBE_ID = /^\w[\w.:~-]{0,199}$/;
/** Few names look like this. An ID in another form is tried last, as numbers may be names, or IDs in some services. */
const LIKELY_ID = /^(?=.*[a-z]).*[\d_]/i;

async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const found = await findCode(createClient(z, bundle), textInput(bundle, VALUE_FIELD));
  return found === undefined ? [] : [imagedCodeRow(z, found)];
}

/**
 * Finds the code that a text refers to: by ID or API URL, short link, or name. Tries all, as "find or create" would
 * create a duplicate: the name first, unless the text looks like an ID, which takes one request.
 * @throws ParameterError if several codes have the name
 */
async function findCode({ qr }: PlatformClient, value: string): Promise<QrCode | undefined> {
  const finder = new CodeFinder(qr, { searchMs: SEARCH_MS });
  const named = () => finder.byName(value);
  const reference = readCodeReference(value);
  if (!('id' in reference)) return (await finder.byLink(value)) ?? named();
  const { id } = reference;
  const isIdFirst = id !== value || LIKELY_ID.test(id);
  return isIdFirst ? ((await findById(qr, id)) ?? named()) : ((await named()) ?? findById(qr, id));
}

/** The code with exactly this ID: a service may also find a code by its slug. */
async function findById(qr: PlatformClient['qr'], id: string): Promise<QrCode | undefined> {
  if (!MAYBE_ID.test(id)) return undefined;
  try {
    const code = await qr.get(id);
    return code.id === id ? code : undefined;
  } catch (error) {
    // The service's own response to text that isn't an ID. Anybody else's proves nothing.
    if (isOwnError(error, 400, 404, 422)) return undefined;
    throw error;
  }
}

export const findQrCode: Search = {
  key: 'find_qr_code',
  noun: 'QR Code',
  display: {
    label: 'Find QR Code',
    description: 'Finds a QR code by its ID, short link or whole name, for use in other steps.',
  },
  operation: { perform: withZapierErrors(perform), inputFields: [VALUE_FIELD], ...QR_CODE_OUTPUT },
};
