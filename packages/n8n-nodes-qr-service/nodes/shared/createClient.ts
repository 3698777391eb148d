import { QrServiceClient, type ClientOptions } from '../../core.ts';
import { CREDENTIAL_NAME, type QrServiceCredentials } from './credentials.ts';
import { n8nTransport, type RequestContext } from './transport/index.ts';

/** The core's client for the node's credential, over n8n's HTTP helper. */
export async function createClient(
  context: RequestContext,
  options: Pick<ClientOptions, 'retry' | 'refusedKeys'> = {},
): Promise<QrServiceClient> {
  const { baseUrl, apiKey, authHeader, headerPrefix } =
    await context.getCredentials<QrServiceCredentials>(CREDENTIAL_NAME);
  const transport = n8nTransport(context);
  return new QrServiceClient({ baseUrl, apiKey, authHeader, headerPrefix, transport, ...options });
}
