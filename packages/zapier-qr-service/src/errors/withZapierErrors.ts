import type { ErrorWords } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { toZapierError } from './zapierErrors.ts';

/** A function that Zapier calls with its tools (`z`) and the data of the run (`bundle`). */
type Perform<Output> = (z: ZObject, bundle: Bundle) => Promise<Output>;

/**
 * Wraps a function so that it throws only errors that Zapier shows as they are. To the text and the log of any other
 * error, Zapier adds the whole bundle, including the signing secret.
 */
export function withZapierErrors<Output>(perform: Perform<Output>, words?: ErrorWords): Perform<Output> {
  return async (z, bundle) => {
    try {
      return await perform(z, bundle);
    } catch (error) {
      throw toZapierError(z, error, words);
    }
  };
}
