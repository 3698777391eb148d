import assert from 'node:assert/strict';
import { chain, NO_OP, POLL_OFTEN, POLLING_TRIGGER, TRIGGER } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';

/** The instant trigger next to a polling trigger, whose polls make n8n write old static data back. */
export function sharedWorkflowSteps({ n8n, emulator: { control }, credential }: World): void {
  const workflow = chain('Both triggers', credential, [
    { name: 'Events', type: TRIGGER, parameters: { events: ['export.ready'] } },
    { name: 'Rows', type: NO_OP },
    { name: 'Polls', type: POLLING_TRIGGER, parameters: { watch: 'changedCodes', ...POLL_OFTEN } },
  ]);
  workflow.connections = {
    Events: workflow.connections['Events']!,
    Polls: workflow.connections['Events']!,
  };

  step(
    'publishing an instant trigger beside a polling one fails with the reason and what to do',
    async () => {
      const before = control.subscriptions();
      const workflowId = await n8n.saveWorkflow(workflow);
      await assert.rejects(
        n8n.activate(workflowId),
        /would lose its signing secret to the polling trigger "Polls"\. Move one of the two triggers to a workflow of its own\./,
      );
      assert.deepEqual(control.subscriptions(), before);
      await n8n.deactivate(workflowId);
    },
  );
}
