import { INPUTS, publishCode, retargetCode } from '@qr-service/core/connector';
import type { QrCode, QrServiceClient } from '@qr-service/core';
import type { Bundle, Create, PlainInputField } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors.ts';
import { inputField } from '../inputs/inputField.ts';
import { webAddressInput } from '../inputs/readInputs.ts';
import { QR_CODE_OUTPUT, qrCodeRow, TARGETED_CODE_OUTPUT } from '../resources/qrCode.ts';
import { QR_CODE_ID_FIELD, requireCodeId } from '../resources/qrCodeId.ts';
import { CODE_LOCK } from './lock.ts';
import { stepDescription } from './stepDescription.ts';

/** Changes the code with this ID. */
type Change = (id: string) => Promise<QrCode>;

/**
 * A step that changes an existing code. Takes no deduplication key, as a replay would lose a change: a code archived
 * since would stay archived, and one pointed from A to B and back within a day would stay at B.
 * @param readChange reads the other inputs
 */
function changeStep(
  { key, ...display }: { key: string; label: string; description: string },
  fields: PlainInputField[],
  output: typeof QR_CODE_OUTPUT,
  readChange: (bundle: Bundle, qr: QrServiceClient['qr']) => Change,
): Create {
  return {
    key,
    noun: 'QR Code',
    display,
    operation: {
      perform: withZapierErrors(async (z, bundle) => {
        const client = createClient(z, bundle);
        const change = readChange(bundle, client.qr);
        return qrCodeRow(await change(await requireCodeId(bundle, client)));
      }),
      inputFields: [QR_CODE_ID_FIELD, ...fields],
      lock: CODE_LOCK,
      ...output,
    },
  };
}

export const publishQrCode = changeStep(
  { key: 'publish_qr_code', label: 'Publish QR Code', description: stepDescription('publish') },
  [],
  QR_CODE_OUTPUT,
  (_bundle, qr) => (id) => publishCode(qr, id),
);

const URL_FIELD = inputField(INPUTS.url);

export const retargetQrCode = changeStep(
  {
    key: 'retarget_qr_code',
    label: 'Update QR Code Destination',
    description: "Updates the destination of an existing QR code, so that you don't need to reprint it.",
  },
  [URL_FIELD],
  TARGETED_CODE_OUTPUT,
  (bundle, qr) => {
    const url = webAddressInput(bundle, URL_FIELD);
    qr.checkTargets({ url });
    return (id) => retargetCode(qr, id, url);
  },
);
