import type { Announce } from './service/announce.ts';
import type { Codes } from './service/codes.ts';
import type { Feedback } from './service/feedback.ts';
import type { DeliveryFaults } from './delivery/deliveryFaults.ts';
import type { MovableClock } from './state/clock.ts';
import type { RateWindows } from './server/rateWindows.ts';
import type { Faults } from './server/faults.ts';
import type { RequestLog } from './server/requestLog.ts';
import type { Wire } from './server/wire.ts';
import type { RateLimitOptions } from './options.ts';
import type { Dimension } from './store/scans.ts';
import type { Store } from './store/index.ts';

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
