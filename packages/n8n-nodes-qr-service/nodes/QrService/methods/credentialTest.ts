import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import {
  BRAND,
  CONNECTION_INPUTS,
  describeError,
  errorText,
  isApiError,
  QrServiceClient,
  readConnection,
  type Connection,
} from '../../../core.ts';
import { describeAccount } from '../../shared/access.ts';
import { N8N_WORDS } from '../../shared/errors.ts';
import { credentialTestTransport } from '../../shared/client.ts';

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
  let connection: Connection | undefined;
  try {
    connection = readConnection(credential.data ?? {});
    const transport = credentialTestTransport(this);
    const client = new QrServiceClient({
      ...connection,
      transport,
      retry: false,
      timeoutMs: TIMEOUT_MS,
    });
    return { status: 'OK', message: describeAccount(await client.me()) };
  } catch (error) {
    const message = errorText(describeError(error, { ...N8N_WORDS, rerun: 'test the credential again' }));
    const hint = isApiError(error) && error.status === 401 ? keyHeaderHint(connection) : '';
    return { status: 'Error', message: message + hint };
  }
}

/** With another prefix, the key may be in a header that the service doesn't read. */
function keyHeaderHint(connection?: Connection): string {
  if (connection?.authHeader !== 'api-key' || connection.headerPrefix === BRAND.headerPrefix) return '';
  return ` The key was sent in a header of your own ${CONNECTION_INPUTS.headerPrefix.label}: check that, too.`;
}
