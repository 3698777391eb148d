import { QrServiceClient } from '../../core.ts';
import { CREDENTIAL_NAME, readCredential } from './credentials.ts';
import { n8nTransport, type RequestContext } from './transport/index.ts';

/** The core's client for the node's credential, over n8n's HTTP helper. */
export async function createClient(context: RequestContext): Promise<QrServiceClient> {
  const credential = readCredential(await context.getCredentials(CREDENTIAL_NAME));
  return new QrServiceClient({ ...credential, transport: n8nTransport(context) });
}
