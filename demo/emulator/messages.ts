import type { Control, EmulatorOptions } from 'qr-service-emulator';

/** What the emulator's process is started with. */
export type EmulatorSettings = Pick<
  EmulatorOptions,
  'port' | 'db' | 'connectTo' | 'rateLimit' | 'retryBaseMs'
>;

/** A call on the emulator's control, from the demo. */
export interface ControlCall {
  id: number;
  method: keyof Control;
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
