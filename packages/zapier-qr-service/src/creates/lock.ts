import { INPUTS } from '@qr-service/core/connector';
import type { LockObject } from 'zapier-platform-core';

/** A lock for the runs whose inputs give the same key. Without the scope, all customers would share it. */
function lock(...fields: string[]): LockObject {
  const values = fields.map((field) => `{{bundle.inputData.${field}}}`);
  return { key: `qr_code-${values.join('')}`, scope: ['auth'], timeout: 30 };
}

/**
 * Meant to make steps that write to the same code run one after the other, so that the last row wins rather than the
 * slowest request. Zapier holds locks on its servers, so this is untested, and nothing relies on it.
 */
export const CODE_LOCK = lock(INPUTS.qrCodeId.key);

/**
 * The same for a step that may have no code yet. Zapier's schema asks to reference a required field, as an optional one
 * may give nothing. Here either of two fields distinguishes rows, in whatever way Zapier writes an empty one: rows with
 * the same new name wait for each other, and unrelated rows don't.
 */
export const UPSERT_LOCK = lock(INPUTS.qrCodeId.key, INPUTS.name.key);
