import assert from 'node:assert/strict';
import { sampleEvent } from '@qr-service/core/webhook';
import { waitForExecutions } from '../../support/n8n/executions.ts';
import { step } from '../../support/suite/step.ts';
import { chain, NO_OP, TRIGGER } from '../../support/n8n/workflows.ts';
import { credentialFor, CREDENTIAL_TYPE, startConnectedServer } from '../../support/n8n/world.ts';

const EVENT = 'feedback.low_score_received';

/** Uses a server without a public URL, as on a user's own machine, and no service. */
export function sampleSteps(): void {
  step('testing the trigger shows a sample event without a public URL or the service', async () => {
    const { server, n8n } = await startConnectedServer();
    try {
      const nowhere = credentialFor({ url: 'http://127.0.0.1:9', apiKey: 'none' });
      const credential = await n8n.saveCredential(CREDENTIAL_TYPE, nowhere);
      const parameters = { events: [EVENT], options: { sampleWhenTesting: true } };
      const trigger = { name: 'Trigger', type: TRIGGER, parameters };
      const workflowId = await n8n.saveWorkflow(
        chain('Sample', credential, [trigger, { name: 'Rows', type: NO_OP }]),
      );
      await n8n.listen(workflowId, 'Trigger');
      const [execution] = await waitForExecutions(n8n, workflowId, 1);
      const { score, scoreKind } = sampleEvent(EVENT).data;
      const row = execution?.items['Rows']?.[0]?.json;
      assert.deepEqual(
        [row?.['type'], row?.['score'], row?.['scoreKind']],
        [EVENT, score, scoreKind],
        server.log(),
      );
    } finally {
      await server.stop();
    }
  });
}
