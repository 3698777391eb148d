import { QrServiceClient, type ClientOptions, type Connection, readConnection } from '../../../core.ts';
import { CREDENTIAL_NAME } from '../credentials.ts';
import { n8nTransport, type RequestContext } from './index.ts';

/** Creates the core's client for the node's credential, over n8n's HTTP helper. */
export async function createClient(context: RequestContext): Promise<QrServiceClient> {
  return createClientFor(context, await readCredential(context));
}

/** Reads the node's credential. */
export async function readCredential(context: RequestContext): Promise<Connection> {
  return readConnection(await context.getCredentials(CREDENTIAL_NAME));
}

/** The same for a credential that was read. */
export function createClientFor(
  context: RequestContext,
  credential: Connection,
  options: Pick<ClientOptions, 'retry'> = {},
): QrServiceClient {
  return new QrServiceClient({ ...credential, transport: n8nTransport(context), ...options });
}
