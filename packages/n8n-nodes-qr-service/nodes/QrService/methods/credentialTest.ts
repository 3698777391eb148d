import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { describeError, isApiError, QrServiceClient } from '../../../core.ts';
import { describeAccount } from '../../shared/access.ts';
import { readCredential } from '../../shared/credentials.ts';
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
      ...readCredential(credential.data ?? {}),
      transport,
      retry: false,
      timeoutMs: TIMEOUT_MS,
    });
    return { status: 'OK', message: describeAccount(await client.me()) };
  } catch (error) {
    return { status: 'Error', message: explain(error) };
  }
}

/** The core's description, except for a 404: no record was requested here, so the base URL leads somewhere else. */
function explain(error: unknown): string {
  if (isApiError(error) && error.status === 404)
    return 'What answers at the base address is not the API of the service (status 404). Check the base address.';
  const { message, description } = describeError(error);
  return `${message} ${description}`.trim();
}
