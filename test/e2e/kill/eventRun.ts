import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/n8n/executions.ts';
import { example } from '../support/n8n/workflows.ts';
import type { Cluster } from '../support/n8nQueue/cluster.ts';
import type { QueueWorld } from '../support/n8nQueue/world.ts';
import { waitUntilDelivered } from './waitUntilDelivered.ts';
import { judge, type EventVerdict } from './eventVerdict.ts';
import { recordEvents, OPEN, queuedIds, storedExecutions, strandedExecutions } from './storedExecutions.ts';

const EVENTS = 200;
const PER_SECOND = 20;
/** Only ends a hang: a busy machine may be slow. */
const TIMEOUT_MS = 300_000;

/** Progress while events are sent. */
interface EventRunProgress {
  workflowId: string;
  /** Whether more than a quarter of the events remain to be sent. */
  isEarly: () => boolean;
}

/**
 * Sends events to the example that writes each one to a sheet, and breaks something meanwhile. Judges the result once
 * every delivery got a 2xx response and the queue is empty. Executions that n8n leaves open outside the queue are
 * reported, and the main is restarted, which must mark them as crashed.
 */
export async function eventRun(
  { cluster, emulator, credential, sheet }: QueueWorld,
  breakSomething: (progress: EventRunProgress) => Promise<void>,
): Promise<EventVerdict> {
  const { n8n } = cluster;
  const { control } = emulator;
  await recordEvents(cluster);
  const workflowId = await n8n.saveWorkflow(example('signed-events-to-rows', credential, sheet.writer));
  await n8n.activate(workflowId);
  try {
    return await sendEvents();
  } finally {
    await n8n.deactivate(workflowId);
  }

  async function sendEvents(): Promise<EventVerdict> {
    const before = sheet.rows('Rows').length;
    const written = () =>
      sheet
        .rows('Rows')
        .slice(before)
        .map(({ eventId }) => eventId as string);

    const sent = new Set<string>();
    const emitting = (async () => {
      while (sent.size < EVENTS) {
        sent.add(control.emit('qr.published').id);
        await sleep(1000 / PER_SECOND);
      }
    })();
    await until('the first events are in the sheet', () => written().length >= EVENTS / 20);
    await breakSomething({ workflowId, isEarly: () => sent.size < (EVENTS * 3) / 4 });
    await emitting;
    await waitUntilDelivered(cluster, emulator, sent);
    await until('the queue is empty', async () => (await queuedIds(cluster)).length === 0, TIMEOUT_MS);
    const stranded = await strandedExecutions(cluster, workflowId);
    if (stranded.length > 0) await recover(cluster, workflowId);

    const attempts = control
      .deliveries()
      .filter(({ eventId }) => sent.has(eventId))
      .reduce((sum, delivery) => sum + delivery.attempts.length, 0);
    const executions = await storedExecutions(cluster, workflowId);
    return judge({ sent, attempts, rows: written(), executions, stranded });
  }
}

/** Restarts the main, which then marks stranded executions as crashed. */
async function recover(cluster: Cluster, workflowId: string): Promise<void> {
  cluster.supervise(false);
  await cluster.main.stop();
  await cluster.main.start();
  cluster.supervise(true);
  await until(
    'the main has marked every stranded execution as crashed',
    async () => (await storedExecutions(cluster, workflowId)).every(({ status }) => !OPEN.includes(status)),
    TIMEOUT_MS,
  );
}
