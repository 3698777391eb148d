import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { describeError, isApiError, QrServiceClient } from '../../../core.ts';
import { describeAccount } from '../../shared/access.ts';
import { readCredential } from '../../shared/credentials.ts';
import { credentialTestTransport } from '../../shared/transport/index.ts';

/** Milliseconds: someone waits for the answer in front of the editor. */
const TIMEOUT_MS = 15_000;

/** Tests a credential by asking what its key opens: the workspace, the scopes and what is not possible without the others. */
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

/** The core's words, but for an address that leads to something else: no record is asked for here. */
function explain(error: unknown): string {
  if (isApiError(error) && error.status === 404)
    return 'What answers at the base address is not the API of the service (status 404). Check the base address.';
  const { message, description } = describeError(error);
  return `${message} ${description}`.trim();
}
