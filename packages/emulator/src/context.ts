import type { Announce } from './service/announce.ts';
import type { Codes } from './service/codes.ts';
import type { Faults } from './server/faults.ts';
import type { RequestLog } from './server/requestLog.ts';
import type { Wire } from './server/wire.ts';
import type { RateLimitOptions } from './options.ts';
import type { Dimension } from './store/scans.ts';
import type { Store } from './store/index.ts';

/** What the parts of one running emulator share. */
export interface EmulatorContext {
  store: Store;
  codes: Codes;
  announce: Announce;
  faults: Faults;
  requests: RequestLog;
  wire: Wire;
  rateLimit: RateLimitOptions;
  allowedDimensions: readonly Dimension[];
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Base of the codes' short links, without a trailing slash. */
  redirectUrl: () => string;
  log: (line: string) => void;
}
