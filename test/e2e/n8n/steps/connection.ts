import assert from 'node:assert/strict';
import { step } from '../../support/suite/step.ts';
import { CREDENTIAL_TYPE, credentialFor, type World } from '../../support/n8n/world.ts';

export function connectionSteps({ n8n, emulator }: World): void {
  step('the connection test accepts a valid key', async () => {
    const { status, message } = await n8n.testCredential(CREDENTIAL_TYPE, credentialFor(emulator));
    assert.equal(status, 'OK', message);
  });

  step('the connection test rejects an invalid key', async () => {
    const wrong = { ...credentialFor(emulator), apiKey: 'nobody' };
    const { status, message } = await n8n.testCredential(CREDENTIAL_TYPE, wrong);
    assert.equal(status, 'Error', message);
    assert.ok(!message.includes('nobody'));
  });
}
