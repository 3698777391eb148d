import assert from 'node:assert/strict';
import { waitForExecutions } from '../../support/n8n/executions.ts';
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
  let workflowId = '';

  step(
    'publishing an instant trigger beside a polling one fails with the reason and what to do',
    async () => {
      const before = control.subscriptions();
      workflowId = await n8n.saveWorkflow(workflow);
      await assert.rejects(
        n8n.activate(workflowId),
        /would lose its signing secret to the polling trigger "Polls"\. Move one of the two triggers to a workflow of its own\./,
      );
      assert.deepEqual(control.subscriptions(), before);
    },
  );

  step('it can be published once that is done', async () => {
    await n8n.deactivate(workflowId);
    workflow.nodes = workflow.nodes.filter(({ name }) => name !== 'Polls');
    delete workflow.connections['Polls'];
    await n8n.updateWorkflow(workflowId, workflow);
    await n8n.activate(workflowId);
    const { id } = control.emit('export.ready');
    await control.settled();
    const executions = await waitForExecutions(n8n, workflowId, 1);
    assert.deepEqual(
      executions.map(({ items }) => items['Rows']?.[0]?.json['eventId']),
      [id],
    );
    await n8n.deactivate(workflowId);
  });
}
