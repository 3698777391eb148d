import type { FixedSettings, Settings } from '../config/options.ts';
import type { WireShape } from '@qr-service/core/shape';
import type { Codes } from '../domain/codes.ts';
import type { EmitEvent } from '../domain/emitEvent.ts';
import type { Feedback } from '../domain/feedback.ts';
import type { InventEventData } from '../domain/inventEventData.ts';
import type { Summarize } from '../domain/qrSummary.ts';
import type { RateWindows } from '../domain/rateWindows.ts';
import type { SubscriptionService } from '../domain/subscriptions.ts';
import type { DeliveryFaults } from '../faults/deliveryFaults.ts';
import type { RequestFaults } from '../faults/requestFaults.ts';
import type { Store } from '../store/index.ts';
import type { MovableClock } from './clock.ts';
import type { RequestLog } from './requestLog.ts';
import type { Setting } from './setting.ts';

/** Shared by the parts of one running emulator. */
export interface EmulatorContext {
  store: Store;
  /** The key with all scopes. */
  apiKey: string;
  codes: Codes;
  feedback: Feedback;
  emitEvent: EmitEvent;
  inventEventData: InventEventData;
  subscriptions: SubscriptionService;
  requestFaults: RequestFaults;
  deliveryFaults: DeliveryFaults;
  rateWindows: RateWindows;
  clock: MovableClock;
  requests: RequestLog;
  wireShape: Setting<Required<WireShape>>;
  settings: Setting<Settings>;
  /** The parts of the service's shape that can't be changed. */
  fixed: FixedSettings;
  /** IP address or host name that the server listens on. */
  host: string;
  /** Aborts when the current state is replaced by a restore, and when the emulator stops. */
  stateSignal: () => AbortSignal;
  /** Milliseconds since the epoch. */
  now: () => number;
  summarize: Summarize;
  log: (line: string) => void;
}
