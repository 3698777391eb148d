import type { RequestHandler } from '../faultyService/faultyService.ts';
import type { VirtualTime } from './virtualTime.ts';

/** Real milliseconds for sent data to arrive. If it arrives later, the attempt only times out sooner. */
const ARRIVES_MS = 20;

/** Makes a response that never ends time out: advances the clock by the time limit once its start has arrived. */
export const endless =
  (time: VirtualTime, handler: RequestHandler, limitMs = 30_000): RequestHandler =>
  (...request) => {
    handler(...request);
    setTimeout(() => time.advance(limitMs), ARRIVES_MS);
  };
