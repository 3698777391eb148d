export type {
  EmulatorOptions,
  RateLimitOptions,
  ResponseDraft,
  RewriteResponse,
  SeenRequest,
  Settings,
} from './config/options.ts';
export type { KeyOptions, Seed } from './config/seed.ts';
export type { Control } from './control/control.ts';
export type { RequestEntry } from './store/requestLog.ts';
export type { Snapshot } from './control/snapshots.ts';
export { DELIVERY_FAULTS, type DeliveryFault, type DeliveryFaultKind } from './config/faults.ts';
export type { Fault, FaultMatch } from './config/faults.ts';
export { PortInUseError } from './server.ts';
export { startEmulator, type Emulator } from './start.ts';
export type {
  Attempt,
  CreatedKey,
  Delivery,
  DeliveryStatus,
  Subscription,
  Workspace,
} from './store/records.ts';
export { DatabaseFileError } from './store/state.ts';
export { InputError } from './validation/input.ts';
