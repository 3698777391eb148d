import { IMAGE_FORMATS, INPUTS } from '@qr-service/core/connector';
import type { ImageFormat } from '@qr-service/core';
import type { Bundle } from 'zapier-platform-core';
import { inputField } from './inputField.ts';
import { oneOfInput, wholeNumberInput } from './readInputs.ts';

export const FORMAT_FIELD = inputField(INPUTS.format, {
  helpText: 'The file type of the image. Leave empty for PNG.',
});

export const SIZE_FIELD = inputField(INPUTS.size, {
  helpText: 'For example `512`. Leave empty for the usual size.',
});

/**
 * Reads the image format, by default PNG.
 * @throws ParameterError for an unknown one
 */
export function readFormat(bundle: Bundle): ImageFormat {
  return oneOfInput(bundle, FORMAT_FIELD, IMAGE_FORMATS) ?? (FORMAT_FIELD.default as ImageFormat);
}

/**
 * Reads the image size, if any. The service defines its unit and bounds.
 * @throws ParameterError for anything but a whole number above 0
 */
export function readSize(bundle: Bundle): number | undefined {
  return wholeNumberInput(bundle, SIZE_FIELD, { min: 1 });
}
