import type { TransportRequest } from './transport.ts';
import { duration } from '../errors/explain.ts';
import { allowsHttp } from './configuration.ts';
import { TransportError } from '../errors/TransportError.ts';

/** What a transport knows about a request that got no response. */
interface RequestFailure {
  /** Whether the request's time limit has passed. */
  timedOut: boolean;
  /** The error's code in Node.js, such as `ECONNREFUSED`: see `failureCode`. */
  code?: string | undefined;
  /** Kept unchanged: omit it if it may contain the key. */
  cause?: unknown;
}

const TIMEOUT = /TIMEOUT|ETIMEDOUT|ECONNABORTED/;
/** Codes for a server's certificate that isn't trusted, such as `CERT_HAS_EXPIRED`; an alert is about the client's. */
const CERTIFICATE =
  /^(?!ERR_SSL_.*ALERT).*(CERT|UNABLE_TO_(GET|VERIFY|DECODE)|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH)|^CRL_/;
/** OpenSSL's words for a server that doesn't encrypt, and the code that stands for them. */
const UNENCRYPTED = /wrong.version.number|packet.length.too.long/i;
const NOT_HTTPS = 'ERR_SSL_WRONG_VERSION_NUMBER';
/** Codes for a body that can't be decoded. */
const UNDECODABLE = /^(Z_|ERR_.*BROTLI|ERR__ERROR)/;
/** Codes for a connection that was never established. */
const UNCONNECTED: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];
/** Maximum number of errors to check in a chain of causes. */
const MOST_CAUSES = 10;

/** The error for a request that got no response, with the same wording for every transport. */
export function requestFailed(
  { url, timeoutMs, signal }: TransportRequest,
  { timedOut, code = 'no response', cause }: RequestFailure,
): TransportError {
  const host = URL.canParse(url) ? new URL(url).host : url;
  if (signal?.aborted === true)
    return new TransportError('The request was canceled.', { kind: 'aborted', cause });
  if (timedOut || TIMEOUT.test(code))
    return new TransportError(`${host} did not respond within ${duration(timeoutMs)}.`, {
      kind: 'timeout',
      cause,
    });
  if (CERTIFICATE.test(code))
    return new TransportError(`The certificate of ${host} isn't trusted (${code}).`, {
      kind: 'certificate',
      unsent: true,
      cause,
    });
  if (code === NOT_HTTPS) {
    const advice = allowsHttp(new URL(url)) ? ': start the address with http://' : '';
    const message = `The server at ${host} speaks http, not https${advice}.`;
    return new TransportError(message, { kind: 'network', unsent: true, cause });
  }
  const what = isUndecodable(code)
    ? `The response of ${host} could not be decoded`
    : `${host} could not be reached`;
  return new TransportError(`${what} (${code}).`, {
    kind: 'network',
    unsent: UNCONNECTED.includes(code),
    cause,
  });
}

/** Whether a code means that a response's body can't be decoded. */
export function isUndecodable(code: string): boolean {
  return UNDECODABLE.test(code);
}

/** The Node.js code of a thrown value, such as `ECONNRESET`: its own, or that of what caused it. */
export function failureCode(thrown: unknown): string | undefined {
  let error = thrown;
  for (let depth = 0; depth < MOST_CAUSES && typeof error === 'object' && error !== null; depth++) {
    const { code, cause, message } = error as { code?: unknown; cause?: unknown; message?: unknown };
    if (typeof code === 'string') return UNENCRYPTED.test(`${code} ${String(message)}`) ? NOT_HTTPS : code;
    error = cause;
  }
  return undefined;
}
