import { duration } from '../errors/sentences.ts';
import { TransportError } from '../errors/TransportError.ts';
import { allowsHttp } from './configuration.ts';
import type { TransportRequest } from './transport.ts';

interface RequestFailure {
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
/** Codes for a body that can't be decoded: those of decoders, or the coding. */
const UNDECODABLE = /^(Content-Encoding|Z_|ERR_.*BROTLI|ERR__ERROR)/;
const UNCONNECTED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/;

/** The error for a request that got no response, with the same words for every transport. */
export function requestFailed(
  { url, timeoutMs, signal }: TransportRequest,
  { timedOut, code = 'no response', cause }: RequestFailure,
): TransportError {
  const failed = (failure: TransportError['code'], message: string, unsent = false) =>
    new TransportError(message, { code: failure, unsent, cause });
  if (signal?.aborted === true) return failed('aborted', 'The request was canceled.');
  const target = new URL(url);
  const { host } = target;
  if (timedOut || TIMEOUT.test(code))
    return failed('timeout', `${host} did not respond within ${duration(timeoutMs)}.`);
  if (CERTIFICATE.test(code))
    return failed('certificate', `The certificate of ${host} isn't trusted (${code}).`, true);
  if (code === NOT_HTTPS) {
    const advice = allowsHttp(target) ? ': start the address with http://' : '';
    return failed('network', `The server at ${host} speaks http, not https${advice}.`, true);
  }
  return UNDECODABLE.test(code)
    ? failed('network', `The response of ${host} could not be decoded (${code}).`)
    : failed('network', `${host} could not be reached (${code}).`, UNCONNECTED.test(code));
}

/** The Node.js code of a thrown value, such as `ECONNRESET`: its own, or that of what caused it. */
export function failureCode(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const { code, cause, message } = thrown as { code?: unknown; cause?: unknown; message?: unknown };
  if (typeof code !== 'string') return failureCode(cause);
  return UNENCRYPTED.test(`${code} ${String(message)}`) ? NOT_HTTPS : code;
}
