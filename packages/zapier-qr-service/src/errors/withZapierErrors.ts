import type { ErrorWords } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { toZapierError } from './zapierErrors.ts';

/** A function that Zapier calls: `z` is its toolbox, `bundle` holds what the run is about. */
export type Perform<Output> = (z: ZObject, bundle: Bundle) => Promise<Output>;

/**
 * The same function, throwing only errors that Zapier shows as they are. Zapier adds the whole bundle, signing secret
 * included, to the text and the log of any other error.
 */
export function withZapierErrors<Output>(perform: Perform<Output>, words?: ErrorWords): Perform<Output> {
  return async (z, bundle) => {
    try {
      return await perform(z, bundle);
    } catch (error) {
      throw toZapierError(z, error, words && { words });
    }
  };
}
