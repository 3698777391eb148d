import { imageMimeType, QR_CODE_FIELDS, SAMPLE_QR_CODE, type ImageFormat } from '@qr-service/core';
import type { Bundle, Create, PlainInputField, ZObject } from 'zapier-platform-core';
import { createClient } from '../client.ts';
import { renderedImage } from '../hydrators.ts';
import { guarded } from '../perform.ts';
import { QR_CODE_ID_FIELD, requireCodeId } from '../qrCodeId.ts';
import { readFormat, readSize } from '../resources/image.ts';
import { output } from '../resources/outputFields.ts';
import { qrCodeRow } from '../resources/qrCode.ts';

const FORMAT_LABELS: Record<ImageFormat, string> = {
  png: 'PNG (for screens)',
  svg: 'SVG (for print, at any size)',
  pdf: 'PDF (for print)',
};

const FORMAT_FIELD: PlainInputField = {
  key: 'format',
  label: 'Format',
  type: 'string',
  required: true,
  default: 'png',
  choices: Object.entries(FORMAT_LABELS).map(([value, label]) => ({ value, sample: value, label })),
};

const SIZE_FIELD: PlainInputField = {
  key: 'size',
  label: 'Size',
  type: 'integer',
  required: false,
  helpText: 'Size of the image, as the service understands it. Leave it empty for the usual size.',
};

/** Gives the image as a file that Zapier fetches only when a later step uses it, and the short link for a cell. */
async function perform(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>> {
  const client = createClient(z, bundle);
  const format = readFormat(z, bundle.inputData[FORMAT_FIELD.key]);
  const size = readSize(z, bundle.inputData[SIZE_FIELD.key]);
  const code = await client.qr.get(await requireCodeId(z, bundle, client));
  const { id: qrCodeId, slug, updatedAt: version } = code;
  // Zapier reuses a file for 5 minutes for the same input: `version` makes a changed code another input.
  const input = { qrCodeId, slug, format, ...(size === undefined ? {} : { size }), version };
  return {
    ...qrCodeRow(code),
    format,
    imageType: imageMimeType(format),
    file: z.dehydrateFile(renderedImage, input),
  };
}

export const renderQrCode: Create = {
  key: 'render_qr_code',
  noun: 'QR Code Image',
  display: {
    label: 'Render QR Code',
    description: 'Creates an image of a QR code as a PNG, SVG or PDF file for a later step.',
  },
  operation: {
    perform: guarded(perform),
    inputFields: [QR_CODE_ID_FIELD, FORMAT_FIELD, SIZE_FIELD],
    ...output(
      [
        ...QR_CODE_FIELDS,
        { key: 'format', label: 'Image Format', type: 'string' },
        { key: 'imageType', label: 'Image Type', type: 'string' },
        { key: 'file', label: 'Image File', type: 'file' },
      ],
      {
        ...SAMPLE_QR_CODE,
        format: 'png',
        imageType: imageMimeType('png'),
        file: 'https://zapier.com/engine/hydrate/sample.png',
      },
    ),
  },
};
