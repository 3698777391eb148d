import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { EmulatorContext } from '../control/context.ts';
import type { Env } from '../http/env.ts';

/** How often to check for changes while a page is open. */
const POLL_MS = 200;

/**
 * `GET /live`: sends an event on every change. It compares counters, and only while a page is open, so requests have no
 * extra cost.
 */
export function liveRoutes({
  store,
  requests,
  requestFaults,
  deliveryFaults,
  wireShape,
  settings,
  clock,
}: EmulatorContext): Hono<Env> {
  const revision = () =>
    JSON.stringify([
      requests.count(),
      store.counts.changes(),
      requestFaults.all(),
      deliveryFaults.all(),
      wireShape.current(),
      settings.current(),
      clock.offset(),
    ]);
  const watchers = new Set<(revision: string) => void>();
  let timer: NodeJS.Timeout | undefined;
  let last = '';

  function notifyOnChange(): void {
    const now = revision();
    if (now === last) return;
    last = now;
    for (const notify of watchers) notify(now);
  }

  function watch(notify: (revision: string) => void): () => void {
    watchers.add(notify);
    timer ??= setInterval(notifyOnChange, POLL_MS).unref();
    return () => {
      watchers.delete(notify);
      if (watchers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }

  const routes = new Hono<Env>();
  routes.get('/', (c) =>
    streamSSE(c, async (stream) => {
      const write = (data: string) => void stream.writeSSE({ event: 'change', data });
      const end = watch(write);
      const ended = new Promise<void>((resolve) => {
        // Stop as soon as the connection closes, because the emulator closes its store right after.
        c.env.outgoing.once('close', () => {
          end();
          resolve();
        });
      });
      await stream.writeSSE({ event: 'change', data: revision(), retry: 1000 });
      await ended;
    }),
  );
  return routes;
}
