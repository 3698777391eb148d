import { ACTIONS, QR_CODE_FIELDS, SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { Bundle, Create, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { FORMAT_FIELD, imageOptions, SIZE_FIELD } from '../inputs/fields.ts';
import { imageFile } from '../resources/images.ts';
import { output, withAllFields } from '../resources/outputFields.ts';
import { QR_CODE_ID_FIELD, requireCode } from '../resources/qrCodeId.ts';

/**
 * Returns the code with its image, as a file that Zapier fetches only when a later step uses it. The editor's test
 * requests it at once: otherwise a missing scope or a refused size would only fail in the step that uses the file.
 */
async function perform(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>> {
  const options = imageOptions(bundle);
  const client = createClient(z, bundle);
  const code = await client.qr.get((await requireCode(bundle, client)).id);
  if (bundle.meta.isLoadingSample) await client.qr.render(code.id, options);
  return withAllFields(QR_CODE_FIELDS, {
    ...code,
    format: options.format,
    file: imageFile(z, code, options),
  });
}

export const renderQrCode: Create = {
  key: 'render_qr_code',
  noun: 'QR Code Image',
  display: { label: 'Create QR Code Image', description: `Creates ${ACTIONS.render.object}.` },
  operation: {
    perform: withZapierErrors(perform),
    inputFields: [QR_CODE_ID_FIELD, FORMAT_FIELD, SIZE_FIELD],
    ...output(
      [
        ...QR_CODE_FIELDS,
        { key: 'format', label: 'Image Format', type: 'string' },
        { key: 'file', label: 'Image File', type: 'file' },
      ],
      { ...SAMPLE_QR_CODE, format: 'png' },
    ),
  },
};
