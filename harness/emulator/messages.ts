import type { Control, EmulatorOptions } from 'qr-service-emulator';

/** What the emulator's process is started with. */
export type EmulatorSettings = Pick<
  EmulatorOptions,
  'port' | 'db' | 'connectTo' | 'rateLimit' | 'retryBaseMs'
>;

/** What the emulator's control can be asked to do. */
export type ControlMethod = Exclude<keyof Control, 'clock'>;

/** A call on the emulator's control, from another process. */
export interface ControlCall {
  id: number;
  method: ControlMethod;
  args: unknown[];
}

/** What such a call gave. */
export interface ControlReply {
  kind: 'reply';
  id: number;
  value: unknown;
}

/** What the emulator's process sends. */
export type EmulatorMessage =
  | { kind: 'ready'; url: string; redirectUrl: string; apiKey: string }
  | { kind: 'failed'; name: string; message: string }
  | ControlReply;
