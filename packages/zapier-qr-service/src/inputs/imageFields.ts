import { IMAGE_FORMATS, INPUTS } from '@qr-service/core/connector';
import type { ImageFormat } from '@qr-service/core';
import type { Bundle } from 'zapier-platform-core';
import { inputField } from './inputField.ts';
import { oneOfInput, wholeNumberInput } from './readInputs.ts';

export const FORMAT_FIELD = inputField(INPUTS.format, {
  helpText: 'The file type of the image. Leave empty for PNG.',
});

export const SIZE_FIELD = inputField(INPUTS.size, {
  helpText:
    'The size as a whole number, for example `512`. The service defines the unit, the limits and the default.',
});

const FORMAT_LABELS = Object.fromEntries(
  (INPUTS.format.choices ?? []).map(({ value, label }) => [value, label]),
);

/**
 * Reads the image format, by default PNG.
 * @throws ParameterError for an unknown one
 */
export function readFormat(bundle: Bundle): ImageFormat {
  const choices = { options: IMAGE_FORMATS, labels: FORMAT_LABELS };
  return oneOfInput(bundle, FORMAT_FIELD, choices) ?? (FORMAT_FIELD.default as ImageFormat);
}

/**
 * Reads the image size, if any. The service defines its unit and bounds.
 * @throws ParameterError for anything but a whole number above 0
 */
export function readSize(bundle: Bundle): number | undefined {
  return wholeNumberInput(bundle, SIZE_FIELD, { min: 1 });
}
