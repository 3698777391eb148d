import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { describeConnectionError, errorText, QrServiceClient, readConnection } from '../../../core.ts';
import { describeAccount } from '../../shared/access.ts';
import { CREDENTIAL_TEST_WORDS } from '../../shared/errorWords.ts';
import { credentialTestTransport } from '../../shared/transport/index.ts';

/** Milliseconds: someone is waiting in the editor. */
const TIMEOUT_MS = 15_000;

/**
 * Tests a credential by reading its account: the workspace, the scopes, and what the key can't do without the
 * others.
 */
export async function testConnection(
  this: ICredentialTestFunctions,
  credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  try {
    const transport = credentialTestTransport(this);
    const client = new QrServiceClient({
      ...readConnection(credential.data ?? {}),
      transport,
      retry: false,
      timeoutMs: TIMEOUT_MS,
    });
    return { status: 'OK', message: describeAccount(await client.me()) };
  } catch (error) {
    return { status: 'Error', message: errorText(describeConnectionError(error, CREDENTIAL_TEST_WORDS)) };
  }
}
