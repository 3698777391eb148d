import type {
  ICredentialTestFunctions,
  IExecuteFunctions,
  IHookFunctions,
  ILoadOptionsFunctions,
  IPollFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import {
  isTransportError,
  readBody,
  requestFailed,
  type Transport,
  type TransportError,
  type TransportRequest,
  type TransportResponse,
} from '../../../core.ts';
import { CREDENTIAL_NAME } from '../credentials.ts';

/** The n8n contexts that can send requests. */
export type RequestContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions;

/** An answer of either of n8n's HTTP helpers, with a stream of Node.js for a body: n8n would read it without any bound. */
interface Answer {
  statusCode: number;
  headers: TransportResponse['headers'];
  body: AsyncIterable<Uint8Array> & { destroy: () => void };
}

/** Asks one of n8n's HTTP helpers; the signal ends the request, its answer's body included. */
type Ask = (request: TransportRequest, signal: AbortSignal) => Promise<unknown>;

/**
 * The core's transport over n8n's own HTTP helper, so that its proxy settings and its cancelling apply. No
 * status throws and no redirect is followed: n8n would send a custom key header on to another origin.
 */
export function n8nTransport(context: RequestContext): Transport {
  return transportOver((request, signal) =>
    context.helpers.httpRequestWithAuthentication.call(endedBy(signal, context), CREDENTIAL_NAME, {
      method: request.method,
      url: request.url,
      headers: request.headers,
      timeout: request.timeoutMs,
      encoding: 'stream',
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
      abortSignal: signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    }),
  );
}

/** The context as it is, but for this signal: in place of a request's own, n8n takes the one of the execution. */
function endedBy(signal: AbortSignal, context: RequestContext): RequestContext {
  return Object.create(context, { getExecutionCancelSignal: { value: () => signal } }) as RequestContext;
}

/** The same for the test of a credential, where n8n offers its older helper alone. Takes no body and no signal. */
export function credentialTestTransport(context: ICredentialTestFunctions): Transport {
  return transportOver((request) =>
    context.helpers.request({
      method: request.method,
      uri: request.url,
      headers: request.headers,
      timeout: request.timeoutMs,
      useStream: true,
      resolveWithFullResponse: true,
      simple: false,
      followRedirect: false,
    }),
  );
}

function transportOver(ask: Ask): Transport {
  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    // n8n's own time limit ends with the headers of an answer that is streamed.
    const timeLimit = AbortSignal.timeout(request.timeoutMs);
    const signals = request.signal === undefined ? [timeLimit] : [timeLimit, request.signal];
    const ender = new AbortController();
    let body: Answer['body'] | undefined;
    const end = () => {
      ender.abort();
      body?.destroy();
    };
    for (const signal of signals) signal.addEventListener('abort', end);
    try {
      if (request.signal?.aborted === true) end();
      const answer = (await ask(request, ender.signal)) as Answer;
      const { statusCode: status, headers } = answer;
      ({ body } = answer);
      return { status, headers, body: await readBody(request, { status, headers, body, end }) };
    } catch (error) {
      throw toTransportError(error, request, timeLimit);
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', end);
    }
  };
  return Object.assign(send, { sleep });
}

/** n8n's own error holds the whole request, the key among it: only its code is taken over. */
function toTransportError(error: unknown, request: TransportRequest, timeLimit: AbortSignal): TransportError {
  if (isTransportError(error)) return error;
  return requestFailed(request, { timedOut: timeLimit.aborted, code: failureCode(error) });
}

function failureCode(error: unknown): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return undefined;
}
