import { QrServiceClient, type ClientOptions, readConnection } from '../../../core.ts';
import { CREDENTIAL_NAME } from '../credentials.ts';
import { n8nTransport, type RequestContext } from './index.ts';

/** Creates the core's client for the node's credential, over n8n's HTTP helper. */
export async function createClient(
  context: RequestContext,
  options: Pick<ClientOptions, 'retry' | 'refusedKeys'> = {},
): Promise<QrServiceClient> {
  const credential = readConnection(await context.getCredentials(CREDENTIAL_NAME));
  return new QrServiceClient({ ...credential, transport: n8nTransport(context), ...options });
}
