import type { QrCode } from '@qr-service/core';
import { ACTIONS, INPUTS, type PlatformClient, publishCode, retargetCode } from '@qr-service/core/connector';
import type { Bundle, Create, PlainInputField } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { inputField } from '../inputs/fields.ts';
import { targetInput, URL_PARAMETERS_FIELD } from '../inputs/target.ts';
import { imagedCodeRow, QR_CODE_OUTPUT, TARGETED_CODE_OUTPUT } from '../resources/qrCode.ts';
import { QR_CODE_ID_FIELD, requireCode } from '../resources/qrCodeId.ts';

/**
 * A step that changes an existing code. Takes no deduplication key: each run sends its change again, as a replayed
 * response would lose it.
 */
function changeStep(
  { key, ...display }: { key: string; label: string; description: string },
  fields: PlainInputField[],
  output: typeof QR_CODE_OUTPUT,
  change: (bundle: Bundle, client: PlatformClient) => Promise<QrCode>,
): Create {
  const perform = withZapierErrors(async (z, bundle) =>
    imagedCodeRow(z, await change(bundle, createClient(z, bundle))),
  );
  const inputFields = [QR_CODE_ID_FIELD, ...fields];
  return { key, noun: 'QR Code', display, operation: { perform, inputFields, ...output } };
}

export const publishQrCode = changeStep(
  { key: 'publish_qr_code', label: 'Publish QR Code', description: `Publishes ${ACTIONS.publish.object}.` },
  [],
  QR_CODE_OUTPUT,
  async (bundle, client) => publishCode(client.qr, (await requireCode(bundle, client)).id),
);

const URL_FIELD = inputField(INPUTS.url);

export const retargetQrCode = changeStep(
  {
    key: 'retarget_qr_code',
    label: 'Update QR Code Destination',
    description: "Updates the destination of an existing QR code, so you don't need to reprint it.",
  },
  [URL_FIELD, URL_PARAMETERS_FIELD],
  TARGETED_CODE_OUTPUT,
  async (bundle, client) => {
    const url = targetInput(bundle, URL_FIELD);
    return retargetCode(client.qr, await requireCode(bundle, client), url);
  },
);
