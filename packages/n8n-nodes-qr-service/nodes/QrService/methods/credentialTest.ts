import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { describeError, errorText, PlatformClient, readConnection } from '../../../deps.ts';
import { credentialTestTransport } from '../../platform/client.ts';
import { N8N_WORDS } from '../../platform/errors.ts';

/** Tests a credential by reading its account. The editor shows its own text for a success, so there is none. */
export async function testConnection(
  this: ICredentialTestFunctions,
  credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  try {
    const connection = readConnection(credential.data ?? {});
    const transport = credentialTestTransport(this);
    await new PlatformClient({ ...connection, transport, retry: false, timeoutMs: 15_000 }).me();
    return { status: 'OK', message: 'Connection tested successfully' };
  } catch (error) {
    const words = { ...N8N_WORDS, rerun: 'test the credential again' };
    return { status: 'Error', message: errorText(describeError(error, words)) };
  }
}
