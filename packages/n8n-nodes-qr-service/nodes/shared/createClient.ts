import { QrServiceClient, type Transport } from '../../core.ts';
import { CREDENTIAL_NAME, type QrServiceCredentials } from './credentials.ts';
import { n8nTransport, type RequestContext } from './transport/index.ts';

/**
 * The core's client for the node's credential.
 * @param transport the context's own by default
 */
export async function createClient(
  context: RequestContext,
  transport: Transport = n8nTransport(context),
): Promise<QrServiceClient> {
  const { baseUrl, apiKey, authHeader, headerPrefix } =
    await context.getCredentials<QrServiceCredentials>(CREDENTIAL_NAME);
  return new QrServiceClient({ baseUrl, apiKey, authHeader, headerPrefix, transport });
}
