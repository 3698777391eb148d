import { IMAGE_FORMATS } from '@qr-service/core/connector';
import type { ImageFormat } from '@qr-service/core';
import type { Bundle, PlainInputField } from 'zapier-platform-core';
import { oneOfInput, wholeNumberInput } from './readInputs.ts';

const FORMAT_LABELS: Record<ImageFormat, string> = {
  png: 'PNG (for screens)',
  svg: 'SVG (for print, at any size)',
  pdf: 'PDF (for print)',
};

export const FORMAT_FIELD: PlainInputField = {
  key: 'format',
  label: 'Format',
  type: 'string',
  required: true,
  default: 'png',
  choices: Object.entries(FORMAT_LABELS).map(([value, label]) => ({ value, sample: value, label })),
};

export const SIZE_FIELD: PlainInputField = {
  key: 'size',
  label: 'Size',
  type: 'integer',
  required: false,
  helpText: 'Size of the image, as the service understands it. Leave it empty for the usual size.',
};

/**
 * The image format asked for; png where none is.
 * @throws ParameterError for any other
 */
export function readFormat(bundle: Bundle): ImageFormat {
  return oneOfInput(bundle, FORMAT_FIELD, IMAGE_FORMATS);
}

/**
 * The image size asked for, if any. Its unit and bounds are the service's.
 * @throws ParameterError for anything but a whole number above 0
 */
export function readSize(bundle: Bundle): number | undefined {
  return wholeNumberInput(bundle, SIZE_FIELD, 1);
}
