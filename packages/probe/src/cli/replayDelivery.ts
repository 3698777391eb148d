import { readFileSync, statSync } from 'node:fs';
import type { Finding } from '../findings/Finding.ts';
import { diagnoseDelivery } from '../webhook/diagnoseDelivery.ts';
import { CaptureError } from '../webhook/capture/Capture.ts';
import { readCapture } from '../webhook/capture/readCapture.ts';
import type { Delivery } from '../webhook/Delivery.ts';
import { UsageError } from './UsageError.ts';

/** Largest file that is read, in bytes. Deliveries are much smaller. */
const LARGEST_FILE = 2_000_000;

/**
 * Reads a file with a captured delivery.
 * @throws UsageError
 */
export function readCaptureFile(file: string): Delivery {
  try {
    if (statSync(file).size > LARGEST_FILE)
      throw new CaptureError('The file is too large for a captured delivery.');
    return readCapture(readFileSync(file));
  } catch (error) {
    if (error instanceof CaptureError)
      throw new UsageError(`The file of --replay can't be used. ${error.message}`);
    throw new UsageError(
      `The file of --replay can't be read (${String((error as NodeJS.ErrnoException).code)}).`,
    );
  }
}

/** Checks a captured delivery offline. */
export function replayDelivery(delivery: Delivery, secret: string, headerPrefix: string): Finding[] {
  return diagnoseDelivery({ delivery, secret, headerPrefix, now: Date.now, isLive: false });
}
