import type { RequestHandler } from '../faultyService/faultyService.ts';
import type { VirtualTime } from './virtualTime.ts';

/** Real milliseconds in which what has been sent arrives; where it is late, the attempt ends a little earlier. */
const ARRIVES_MS = 20;

/** An answer that never ends: once its beginning has arrived, the time that an attempt may take is over. */
export const endless =
  (time: VirtualTime, handler: RequestHandler, limitMs = 30_000): RequestHandler =>
  (...request) => {
    handler(...request);
    setTimeout(() => time.advance(limitMs), ARRIVES_MS);
  };
