import type { QrCode } from '@qr-service/core';
import { ACTIONS, INPUTS, type PlatformClient, publishCode, retargetCode } from '@qr-service/core/connector';
import type { Bundle, Create, PlainInputField, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { inputField, targetInput, URL_PARAMETERS_FIELD } from '../inputs/fields.ts';
import { output } from '../resources/outputFields.ts';
import {
  IMAGED_CODE_OUTPUT,
  imagedCodeRow,
  qrCodeRow,
  TARGETED_CODE,
  TARGETED_CODE_FIELDS,
} from '../resources/qrCode.ts';
import { QR_CODE_ID_FIELD, requireCode } from '../resources/qrCodeId.ts';

/**
 * A step that changes an existing code. Takes no deduplication key: each run sends its change again, as a replayed
 * response would lose it.
 */
function changeStep(
  { key, ...display }: { key: string; label: string; description: string },
  fields: PlainInputField[],
  result: ReturnType<typeof output>,
  change: (z: ZObject, bundle: Bundle, client: PlatformClient) => Promise<QrCode>,
): Create {
  const perform = withZapierErrors((z, bundle) => change(z, bundle, createClient(z, bundle)));
  const inputFields = [QR_CODE_ID_FIELD, ...fields];
  return { key, noun: 'QR Code', display, operation: { perform, inputFields, ...result } };
}

export const publishQrCode = changeStep(
  { key: 'publish_qr_code', label: 'Publish QR Code', description: `Publishes ${ACTIONS.publish.object}.` },
  [],
  IMAGED_CODE_OUTPUT,
  async (z, bundle, client) =>
    imagedCodeRow(z, await publishCode(client.qr, (await requireCode(bundle, client)).id)),
);

const URL_FIELD = inputField(INPUTS.url);

export const retargetQrCode = changeStep(
  {
    key: 'retarget_qr_code',
    label: 'Update QR Code Destination',
    description: "Updates the destination of an existing QR code, so you don't need to reprint it.",
  },
  [URL_FIELD, URL_PARAMETERS_FIELD],
  output(TARGETED_CODE_FIELDS, TARGETED_CODE),
  async (_z, bundle, client) => {
    const url = targetInput(bundle, URL_FIELD);
    return qrCodeRow(await retargetCode(client.qr, await requireCode(bundle, client), url));
  },
);
