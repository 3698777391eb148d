import type { RateLimitOptions, RewriteResponse, Settings } from '../config/options.ts';
import type { Codes, Summarize } from '../domain/codes.ts';
import type { EmitEvent, InventEventData } from '../domain/events.ts';
import type { SubmitFeedback } from '../domain/feedback.ts';
import type { RateWindows } from '../domain/rateWindows.ts';
import type { DeliveryFaults } from '../faults/deliveryFaults.ts';
import type { RequestFaults } from '../faults/requestFaults.ts';
import type { Store } from '../store/index.ts';
import type { MovableClock } from './clock.ts';
import type { RequestLog } from './requestLog.ts';
import type { Changeable } from './snapshots.ts';

/** Shared by the parts of one running emulator. */
export interface EmulatorContext {
  store: Store;
  /** The key with all scopes. */
  apiKey: string;
  codes: Codes;
  submitFeedback: SubmitFeedback;
  emitEvent: EmitEvent;
  inventEventData: InventEventData;
  requestFaults: RequestFaults;
  deliveryFaults: DeliveryFaults;
  rateLimit: RateLimitOptions;
  rateWindows: RateWindows;
  clock: MovableClock;
  requests: RequestLog;
  settings: Changeable<Settings>;
  rewriteResponse: RewriteResponse | undefined;
  /** IP address or host name that the server listens on. */
  host: string;
  /** Aborts when the current state is replaced by a restore, and when the emulator stops. */
  stateSignal: () => AbortSignal;
  /** Milliseconds since the epoch. */
  now: () => number;
  summarize: Summarize;
  log: (line: string) => void;
}
