import type { Emulator } from 'qr-service-emulator';
import type { Cluster } from '../support/n8nQueue/cluster.ts';

/**
 * Waits until each of these events was delivered with a 2xx response. Redelivers events that the service gave up on
 * because n8n took too long to start.
 */
export async function waitUntilDelivered(
  cluster: Cluster,
  { control }: Emulator,
  eventIds: ReadonlySet<string>,
): Promise<void> {
  for (;;) {
    await cluster.waitUntilReady();
    await control.settled();
    const failed = control
      .deliveries()
      .filter(({ eventId, status }) => eventIds.has(eventId) && status !== 'delivered');
    if (failed.length === 0) return;
    for (const { id } of failed) control.redeliver(id);
  }
}
