import { REFUSED_KEY_ADVICE } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { toZapierError } from './zapierErrors.ts';
import { hasDeduplicationKey } from '../inputs/readInputs.ts';

/** A function that Zapier calls: `z` is its toolbox, `bundle` is what the run is about. */
export type Perform<Output> = (z: ZObject, bundle: Bundle) => Promise<Output>;

/**
 * A function whose every error is one that Zapier shows as it is. Zapier adds the whole bundle, signing
 * secret included, to any other error's text and log.
 */
export function guarded<Output>(perform: Perform<Output>): Perform<Output> {
  return async (z, bundle) => {
    try {
      return await perform(z, bundle);
    } catch (error) {
      throw toZapierError(z, error, hasDeduplicationKey(bundle) ? REFUSED_KEY_ADVICE : '');
    }
  };
}
