import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../harness/n8n/executions.ts';
import { example } from '../../../harness/n8n/workflows.ts';
import type { QueueWorld } from '../../../harness/n8nQueue/world.ts';

const EVENTS = 200;
const A_SECOND = 20;
const LONGEST_MS = 120_000;

/**
 * Sends events to the example that writes each to a sheet, while something is broken, and says what has become of
 * them: every one that the service was told 2xx for must be in the sheet, once; for each that is not, n8n must name an
 * execution as failed.
 */
export async function eventRun(
  { cluster, emulator: { control }, credential, sheet }: QueueWorld,
  breakSomething: (emitting: Promise<void>) => Promise<void>,
): Promise<string> {
  const { n8n } = cluster;
  const workflowId = await n8n.saveWorkflow(example('signed-events-to-rows', credential, sheet.writer));
  await n8n.activate(workflowId);
  try {
    return await sendEvents();
  } finally {
    await n8n.deactivate(workflowId);
  }

  async function sendEvents(): Promise<string> {
    const before = sheet.rows('Rows').length;
    const written = () =>
      sheet
        .rows('Rows')
        .slice(before)
        .map(({ eventId }) => eventId as string);

    const sent = new Set<string>();
    const emitting = (async () => {
      for (let index = 0; index < EVENTS; index++) {
        sent.add(control.emit('qr.published').id);
        await sleep(1000 / A_SECOND);
      }
    })();
    await breakSomething(emitting);
    await emitting;
    await cluster.whole();
    await control.settled();
    const deliveries = control.deliveries().filter(({ eventId }) => sent.has(eventId));
    const told = deliveries.filter(({ status }) => status === 'delivered').map(({ eventId }) => eventId);
    const tries = deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0);
    const executions = (...statuses: string[]) =>
      cluster.postgres.query(
        `SELECT id FROM execution_entity WHERE "workflowId" = '${workflowId}' AND status IN ('${statuses.join("', '")}')`,
      );
    const open = () => executions('new', 'running', 'waiting');
    await until('every execution has ended', async () => (await open()).length === 0, LONGEST_MS);

    const named = await executions('error', 'crashed');
    const lost = told.filter((eventId) => !written().includes(eventId)).length;
    assert.ok(lost <= named.length, `${lost} events are missing, and n8n names ${named.length} executions`);
    const rows = written();
    assert.equal(new Set(rows).size, rows.length, 'no event is in the sheet twice');
    return (
      `${sent.size} events in ${tries} attempts: ${told.length} told 2xx, ${rows.length} in the sheet, none twice; ` +
      `${lost} in one of the ${named.length} executions that n8n names as failed; ` +
      `${sent.size - told.length} given up by the service`
    );
  }
}
