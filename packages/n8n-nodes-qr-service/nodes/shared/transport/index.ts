import type {
  ICredentialTestFunctions,
  IExecuteFunctions,
  IHookFunctions,
  ILoadOptionsFunctions,
  IPollFunctions,
  IWebhookFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { createTransport, omitUndefined, type StreamedResponse, type Transport } from '../../../core.ts';
import { CREDENTIAL_NAME } from '../credentials.ts';

/** The n8n contexts that can send requests. */
export type RequestContext =
  IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

/** A response of either of n8n's HTTP helpers. Its body is a stream, as n8n itself would read a body of any size. */
interface FullResponse extends Pick<StreamedResponse, 'headers' | 'body'> {
  statusCode: number;
}

/**
 * The core's transport over n8n's own HTTP helper, so that its proxy settings and its cancellation apply. Redirects aren't
 * followed: n8n would forward a custom key header to another origin.
 */
export function n8nTransport(context: RequestContext): Transport {
  return createTransport({
    sleep,
    send: async ({ method, url, headers, body, timeoutMs }, signal) => {
      const sender = withSignal(signal, context);
      return toStreamed(
        await context.helpers.httpRequestWithAuthentication.call(sender, CREDENTIAL_NAME, {
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
        }),
      );
    },
  });
}

/** The context with this signal in place of the execution's, which n8n would take instead of a request's own. */
function withSignal(signal: AbortSignal, context: RequestContext): RequestContext {
  return Object.create(context, { getExecutionCancelSignal: { value: () => signal } }) as RequestContext;
}

/** The same for a credential test, where n8n only offers its older helper. Supports neither a body nor a signal. */
export function credentialTestTransport(context: ICredentialTestFunctions): Transport {
  return createTransport({
    sleep,
    send: async ({ method, url, headers, timeoutMs }) =>
      toStreamed(
        await context.helpers.request({
          method,
          uri: url,
          headers,
          timeout: timeoutMs,
          useStream: true,
          resolveWithFullResponse: true,
          simple: false,
          followRedirect: false,
        }),
      ),
  });
}

function toStreamed(response: unknown): StreamedResponse {
  const { statusCode, headers, body } = response as FullResponse;
  return { status: statusCode, headers, body };
}
