import {
  sleep,
  type ICredentialTestFunctions,
  type IExecuteFunctions,
  type IHookFunctions,
  type ILoadOptionsFunctions,
  type IPollFunctions,
  type IWebhookFunctions,
} from 'n8n-workflow';
import {
  createTransport,
  omitUndefined,
  PlatformClient,
  readConnection,
  type ClientOptions,
  type StreamedResponse,
  type Transport,
} from '../../deps.ts';
import { throwIfBlocked } from './errors.ts';

/** Name of the credential type that all nodes of this package use. */
const CREDENTIAL_NAME = 'qrServiceApi';

/** A context of n8n whose parameters don't differ by item. */
export type TriggerContext = IHookFunctions | IPollFunctions | IWebhookFunctions;
/** The n8n contexts that can send requests. */
export type RequestContext = IExecuteFunctions | ILoadOptionsFunctions | TriggerContext;

/** Reads the node's credential, and creates the core's client for it, over n8n's HTTP helper. */
export async function connect(context: RequestContext, options: Pick<ClientOptions, 'retry'> = {}) {
  const connection = readConnection(await context.getCredentials(CREDENTIAL_NAME));
  const client = new PlatformClient({ ...connection, transport: n8nTransport(context), ...options });
  return { client, connection };
}

/** The core's transport over n8n's HTTP helper. It follows no redirect: n8n would forward a custom key header to another origin. */
function n8nTransport(context: RequestContext): Transport {
  return createTransport({
    sleep,
    send: async ({ method, url, headers, body, timeoutMs }, signal) => {
      // n8n would take the execution's signal instead of the request's own.
      const sender = Object.create(context, {
        getExecutionCancelSignal: { value: () => signal },
      }) as RequestContext;
      const sending = context.helpers.httpRequestWithAuthentication.call(sender, CREDENTIAL_NAME, {
        method,
        url,
        headers,
        timeout: timeoutMs,
        encoding: 'stream',
        returnFullResponse: true,
        ignoreHttpStatusErrors: true,
        disableFollowRedirect: true,
        abortSignal: signal,
        ...omitUndefined({ body }),
      });
      return toStreamed(await sending.catch(throwIfBlocked(url)));
    },
  });
}

/** The same for a credential test, where n8n only offers its older helper. Supports neither a body nor a signal. */
export function credentialTestTransport(context: ICredentialTestFunctions): Transport {
  return createTransport({
    sleep,
    send: async ({ method, url, headers, timeoutMs }) => {
      const sending = context.helpers.request({
        method,
        uri: url,
        headers,
        timeout: timeoutMs,
        useStream: true,
        resolveWithFullResponse: true,
        simple: false,
        followRedirect: false,
      }) as Promise<unknown>;
      return toStreamed(await sending.catch(throwIfBlocked(url)));
    },
  });
}

/** Its body is a stream, as n8n itself would read a body of any size. */
function toStreamed(response: unknown): StreamedResponse {
  const { statusCode, headers, body } = response as Omit<StreamedResponse, 'status'> & { statusCode: number };
  return { status: statusCode, headers, body };
}
