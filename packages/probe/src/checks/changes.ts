import type { Exchange } from '../http/Exchange.ts';
import { newIdempotencyKey } from '../http/Connection.ts';
import type { Probe } from './Probe.ts';

/** Where the probe's own codes point. */
export const TARGETS = ['https://example.com/', 'https://example.org/'] as const;

/** Path of a code. */
export function codePath(id: string): string {
  return `/qr/${encodeURIComponent(id)}`;
}

/** Publishes one of the probe's own codes. */
export function publish(probe: Probe, id: string): Promise<Exchange> {
  return probe.send({ method: 'POST', path: `${codePath(id)}/publish`, idempotencyKey: newIdempotencyKey() });
}

/** Updates the destination of one of the probe's own codes. */
export function retarget(probe: Probe, id: string, url: string = TARGETS[1]): Promise<Exchange> {
  return probe.send({
    method: 'POST',
    path: `${codePath(id)}/destination`,
    body: { url },
    idempotencyKey: newIdempotencyKey(),
  });
}
