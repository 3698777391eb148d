import type {
  ICredentialTestFunctions,
  IExecuteFunctions,
  IHookFunctions,
  ILoadOptionsFunctions,
  IPollFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '../../../core.ts';
import { CREDENTIAL_NAME } from '../credentials.ts';

/** The n8n contexts that can send requests. */
export type RequestContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions;

/** An answer of either of n8n's HTTP helpers. */
interface Answer {
  statusCode: number;
  headers: TransportResponse['headers'];
  body: Uint8Array;
}

/**
 * The core's transport over n8n's own HTTP helper, so that its proxy settings and its cancelling apply. No
 * status throws and no redirect is followed: n8n would send a custom key header on to another origin.
 */
export function n8nTransport(context: RequestContext): Transport {
  return transportOver((request) =>
    context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL_NAME, {
      method: request.method,
      url: request.url,
      headers: request.headers,
      timeout: request.timeoutMs,
      encoding: 'arraybuffer',
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal === undefined ? {} : { abortSignal: request.signal }),
    }),
  );
}

/** The same for the test of a credential, where n8n offers its older helper alone. Takes no body and no signal. */
export function credentialTestTransport(context: ICredentialTestFunctions): Transport {
  return transportOver((request) =>
    context.helpers.request({
      method: request.method,
      uri: request.url,
      headers: request.headers,
      timeout: request.timeoutMs,
      encoding: null,
      resolveWithFullResponse: true,
      simple: false,
      followRedirect: false,
    }),
  );
}

function transportOver(ask: (request: TransportRequest) => Promise<unknown>): Transport {
  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    try {
      const { statusCode, headers, body } = (await ask(request)) as Answer;
      return { status: statusCode, headers, body };
    } catch (error) {
      throw toTransportError(error, request);
    }
  };
  return Object.assign(send, { sleep });
}

/** n8n's error holds the whole request, the key among it: only the reason is taken over. */
function toTransportError(error: unknown, { url, timeoutMs, signal }: TransportRequest): TransportError {
  const { host } = new URL(url);
  const code = failureCode(error);
  if (signal?.aborted === true || code === 'ERR_CANCELED')
    return new TransportError('The request was cancelled.', { kind: 'aborted' });
  if (code === 'ECONNABORTED' || code === 'ETIMEDOUT')
    return new TransportError(`${host} did not answer within ${timeoutMs} ms.`, { kind: 'timeout' });
  return new TransportError(`${host} could not be reached (${code}).`, { kind: 'network' });
}

function failureCode(error: unknown): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return 'no answer';
}
