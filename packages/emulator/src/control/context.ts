import type { Announce } from '../domain/emitEvent.ts';
import type { Codes } from '../domain/codes.ts';
import type { Feedback } from '../domain/feedback.ts';
import type { DeliveryFaults } from '../faults/deliveryFaults.ts';
import type { MovableClock } from './clock.ts';
import type { RateWindows } from '../domain/rateWindows.ts';
import type { Faults } from '../faults/requestFaults.ts';
import type { RequestLog } from './requestLog.ts';
import type { Wire } from '../http/api/response/wireFormat.ts';
import type { RateLimitOptions } from '../config/options.ts';
import type { Dimension } from '../store/scans.ts';
import type { Store } from '../store/index.ts';

/** What the parts of one running emulator share. */
export interface EmulatorContext {
  store: Store;
  /** The key with all scopes. */
  apiKey: string;
  codes: Codes;
  feedback: Feedback;
  announce: Announce;
  faults: Faults;
  deliveryFaults: DeliveryFaults;
  rateWindows: RateWindows;
  clock: MovableClock;
  requests: RequestLog;
  wire: Wire;
  rateLimit: RateLimitOptions;
  allowedDimensions: readonly Dimension[];
  /** Address or name that the server listens on. */
  host: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Base of the codes' short links, without a trailing slash. */
  redirectUrl: () => string;
  log: (line: string) => void;
}
