import type { QrCode } from '@qr-service/core';
import { INPUTS, QR_CODE_FIELDS, SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { ZObject } from 'zapier-platform-core';
import { IMAGE_FIELDS, imagesOf } from './images.ts';
import { output, withAllFields } from './outputFields.ts';

/** A code as polling triggers output it. */
export function qrCodeRow(code: QrCode): QrCode {
  return withAllFields(QR_CODE_FIELDS, code);
}

/** A code as actions and searches output it: with its images. */
export function imagedCodeRow<Code extends QrCode>(z: ZObject, code: Code): Code {
  return withAllFields(QR_CODE_FIELDS, { ...code, ...imagesOf(z, code) });
}

const IMAGED_CODE_FIELDS = [...QR_CODE_FIELDS, ...IMAGE_FIELDS];
/** Sample and output fields of steps that output a code. */
export const QR_CODE_OUTPUT = output(IMAGED_CODE_FIELDS, SAMPLE_QR_CODE);

/** Fields of a code whose destination the step has set. */
export const TARGETED_CODE_FIELDS = [
  ...IMAGED_CODE_FIELDS,
  { key: 'targetUrl', label: INPUTS.targetUrl.label, type: 'string' },
] as const;

export const TARGETED_CODE = { ...SAMPLE_QR_CODE, targetUrl: INPUTS.targetUrl.example };
/** Sample and output fields of steps that output such a code. */
export const TARGETED_CODE_OUTPUT = output(TARGETED_CODE_FIELDS, TARGETED_CODE);
