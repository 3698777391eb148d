import assert from 'node:assert/strict';
import { until } from '../../support/n8n/executions.ts';
import { chain, POLL_OFTEN, POLLING_TRIGGER } from '../../support/n8n/workflows.ts';
import { waitForPolls } from '../../support/n8n/polls.ts';
import { step } from '../../support/suite/step.ts';
import type { QueueWorld } from '../main.ts';

const POLL_MS = 5000;
const POLLS = 8;

export function pollingSteps({
  cluster: { n8n },
  emulator: { control },
  client,
  credential,
  sheet,
}: QueueWorld): void {
  step('the polling trigger runs on the main only and emits each change once', async () => {
    const workflowId = await n8n.saveWorkflow(
      chain('Poll', credential, [
        { name: 'Trigger', type: POLLING_TRIGGER, parameters: { watch: 'changedCodes', ...POLL_OFTEN } },
        { name: 'Changed', ...sheet.writer('Changed') },
      ]),
    );
    await n8n.activate(workflowId);
    const content = { targetUrl: 'https://example.com/' };
    const { id } = await client.qr.create({ name: 'Polled', mode: 'dynamic', contentType: 'url', content });
    await client.qr.publish(id);
    const rows = () => sheet.rows('Changed').filter((row) => row['id'] === id);
    await until('the code is in the sheet', () => rows().length > 0);

    const times = await waitForPolls(control, '/qr', POLLS);
    const elapsedMs = times.at(-1)! - times[0]!;
    // A late poll is soon followed by the next one. With two polling processes, it would take half the time.
    assert.ok(POLLS <= elapsedMs / POLL_MS + 3, `${POLLS} polls in ${elapsedMs} ms`);
    assert.equal(rows().length, 1);
    await n8n.deactivate(workflowId);
    console.log(
      `  ${POLLS} polls in ${elapsedMs / 1000} s of a trigger that polls every ${POLL_MS / 1000} s`,
    );
  });
}
