import assert from 'node:assert/strict';
import { waitForExecutions } from '../../support/n8n/executions.ts';
import { waitForPolls } from '../../support/n8n/polls.ts';
import { step } from '../../support/suite/step.ts';
import { chain, NO_OP, POLL_OFTEN, POLLING_TRIGGER } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';

export function pollingSteps({ n8n, client, credential, emulator: { control } }: World, suffix = ''): void {
  step(`the polling trigger emits each changed code and each scan once${suffix}`, async () => {
    const watch = async (what: string) => {
      const id = await n8n.saveWorkflow(
        chain(`Poll ${what}`, credential, [
          { name: 'Trigger', type: POLLING_TRIGGER, parameters: { watch: what, ...POLL_OFTEN } },
          { name: 'Rows', type: NO_OP },
        ]),
      );
      await n8n.activate(id);
      return id;
    };
    const [changes, scans] = [await watch('changedCodes'), await watch('scans')];

    const content = { targetUrl: 'https://example.com/' };
    const code = await client.qr.create({ name: 'Polled', mode: 'dynamic', contentType: 'url', content });
    await client.qr.publish(code.id);
    await fetch(code.publicUrl, { redirect: 'manual' });
    // Rows of the first poll must not be emitted again by the second one.
    await Promise.all([waitForPolls(control, '/qr', 3), waitForPolls(control, '/scans', 3)]);

    const rowsOf = async (workflowId: string) =>
      (await waitForExecutions(n8n, workflowId, 1)).flatMap(({ items }) => items['Rows'] ?? []);
    const states = (await rowsOf(changes)).map(
      ({ json }) => `${json['id'] as string} ${json['updatedAt'] as string}`,
    );
    assert.ok(states.some((state) => state.startsWith(code.id)));
    assert.equal(new Set(states).size, states.length);
    assert.equal((await rowsOf(scans)).length, 1);
    await Promise.all([n8n.deactivate(changes), n8n.deactivate(scans)]);
  });
}
