import type { Exchange } from '../http/Exchange.ts';
import { newIdempotencyKey } from '../http/Connection.ts';
import type { Probe } from './Probe.ts';

/** Where the probe's own codes point. */
export const TARGETS = ['https://example.com/', 'https://example.org/'] as const;

/** How long a change may take to show. */
export const MAX_CHANGE_MS = 8000;
const POLL_MS = 1000;

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

/** Looks at something until it is as it should be, or for so long that it won't be. */
export async function waitUntil<Seen>(
  probe: Probe,
  look: () => Promise<Seen>,
  isDone: (seen: Seen) => boolean,
  maxMs = MAX_CHANGE_MS,
): Promise<Seen> {
  const deadline = probe.now() + maxMs;
  let seen = await look();
  while (!isDone(seen) && probe.now() < deadline) {
    await probe.connection.sleep(POLL_MS);
    seen = await look();
  }
  return seen;
}
