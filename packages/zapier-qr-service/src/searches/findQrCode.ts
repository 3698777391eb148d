import type { QrCode, QrServiceClient } from '@qr-service/core';
import {
  CodeFinder,
  isOwnError,
  newestFirst,
  readCodeReference,
  SAMPLE_QR_CODE,
} from '@qr-service/core/connector';
import type { Bundle, PlainInputField, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { textInput } from '../inputs/readInputs.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { QR_CODE_OUTPUT, qrCodeRow } from '../resources/qrCode.ts';
import { SEARCH_MS } from '../resources/qrCodeId.ts';

const VALUE_FIELD: PlainInputField = {
  key: 'value',
  label: 'ID, Short Link or Name',
  placeholder: 'Table 4',
  type: 'string',
  required: true,
  helpText: `For example \`${SAMPLE_QR_CODE.id}\` or \`Table 4\`. Of several codes, the most recently updated one is used.`,
};

/** Text that may be an ID: the API text doesn't show what IDs look like. */
const MAYBE_ID = /^\w[\w.:~-]{0,199}$/;
/** Few names look like this. An ID in another form is tried last, as numbers may be names, or IDs in some services. */
const LIKELY_ID = /^(?=.*[a-z]).*[\d_]/i;

async function perform(z: ZObject, bundle: Bundle): Promise<QrCode[]> {
  const found = await findCodes(createClient(z, bundle), textInput(bundle, VALUE_FIELD));
  return newestFirst(found, (code) => code.updatedAt).map(qrCodeRow);
}

/**
 * Finds the codes that a text refers to: by ID or API URL, short link, or exact name. Tries all of them before it returns
 * nothing, as "find or create" would create a duplicate. A name takes precedence over an ID, unless the text looks like
 * an ID: looking that up takes one request.
 */
async function findCodes({ qr }: QrServiceClient, value: string): Promise<QrCode[]> {
  const finder = new CodeFinder(qr, { searchMs: SEARCH_MS });
  const reference = readCodeReference(value);
  if (!('id' in reference)) {
    const linked = await finder.byLink(value);
    return linked === undefined ? finder.byName(value) : [linked];
  }
  const { id } = reference;
  const isFirst = id !== value || LIKELY_ID.test(id);
  const early = isFirst ? await findById(qr, id) : [];
  const found = early.length > 0 ? early : await finder.byName(value);
  return found.length > 0 || isFirst ? found : findById(qr, id);
}

/** The code with exactly this ID: a service may also find a code by its slug. */
async function findById(qr: QrServiceClient['qr'], id: string): Promise<QrCode[]> {
  if (!MAYBE_ID.test(id)) return [];
  try {
    const code = await qr.get(id);
    return code.id === id ? [code] : [];
  } catch (error) {
    // The service's own response to text that isn't an ID. Anybody else's proves nothing.
    if (isOwnError(error, 400, 404, 422)) return [];
    throw error;
  }
}

export const findQrCode: Search = {
  key: 'find_qr_code',
  noun: 'QR Code',
  display: {
    label: 'Find QR Code',
    description: 'Finds a QR code by its ID, short link or exact name, for use in other steps.',
  },
  operation: {
    perform: withZapierErrors(perform),
    inputFields: [VALUE_FIELD],
    ...QR_CODE_OUTPUT,
  },
};
