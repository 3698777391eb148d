import type { Emulator } from 'qr-service-emulator';
import type { Cluster } from '../../../harness/n8nQueue/cluster.ts';

/**
 * Waits until the service has been told 2xx for each of these events. One that it gave up, as n8n took longer to
 * start than it retries, it sends again.
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
