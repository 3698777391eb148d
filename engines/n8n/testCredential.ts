import { CredentialTestContext } from 'n8n-core';
import type { ICredentialsDecrypted, ICredentialTestFunction, INodeCredentialTestResult } from 'n8n-workflow';
import { UnexpectedError } from './n8nWorkflow.ts';
import type { Core } from './Core.ts';

/**
 * Tests a credential as n8n does on saving: with the test function that the first node using it names.
 * Returns what n8n would show.
 */
export async function testCredential(core: Core, credentialType: string): Promise<INodeCredentialTestResult> {
  const additionalData = core.additionalData('internal', { nodes: [], connections: {} });
  const credentials: ICredentialsDecrypted = {
    id: credentialType,
    name: credentialType,
    type: credentialType,
    data: await core.credentials.getDecrypted(
      additionalData,
      { id: credentialType, name: credentialType },
      credentialType,
    ),
  };
  const context = new CredentialTestContext(additionalData);
  return testFunction(core, credentialType).call(context, credentials);
}

function testFunction(core: Core, credentialType: string): ICredentialTestFunction {
  const { loader, nodeTypes } = core;
  if (loader.getCredential(credentialType).type.test !== undefined)
    throw new UnexpectedError(
      `${credentialType} has its own test request, which this engine does not support.`,
    );
  for (const node of loader.known.credentials[credentialType]?.supportedNodes ?? []) {
    const { description, methods } = nodeTypes.getByName(`${loader.packageName}.${node}`);
    const testedBy = description.credentials?.find(({ name }) => name === credentialType)?.testedBy;
    if (typeof testedBy !== 'string') continue;
    // n8n uses the first node that names a function, and fails if that node doesn't have it.
    const found = methods?.credentialTest?.[testedBy];
    if (found !== undefined) return found;
    break;
  }
  throw new UnexpectedError('No testing function found for this credential.');
}
