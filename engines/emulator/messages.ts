import type { Control, EmulatorOptions } from 'qr-service-emulator';

/** Options of the emulator's process. */
export type EmulatorSettings = Pick<
  EmulatorOptions,
  'port' | 'db' | 'connectTo' | 'rateLimit' | 'retryBaseMs'
>;

/** Methods of the emulator's control that can be called from another process. */
export type ControlMethod = Exclude<keyof Control, 'clock'>;

/** A call of the emulator's control from another process. */
export interface ControlCall {
  id: number;
  method: ControlMethod;
  args: unknown[];
}

/** Result of such a call. */
export interface ControlReply {
  kind: 'reply';
  id: number;
  value: unknown;
}

/** Messages from the emulator's process. */
export type EmulatorMessage =
  | { kind: 'ready'; url: string; redirectUrl: string; apiKey: string }
  | { kind: 'failed'; name: string; message: string }
  | ControlReply;
