import { failureCode, requestFailed } from './requestFailed.ts';
import type { TransportRequest } from './transport.ts';

const REQUEST = { url: 'https://qr.example/v1', timeoutMs: 30_000 } as TransportRequest;

const CERTIFICATES = `CERT_HAS_EXPIRED UNABLE_TO_GET_CRL CRL_ERROR UNABLE_TO_VERIFY_LEAF_SIGNATURE INVALID_CA
  DEPTH_ZERO_SELF_SIGNED_CERT ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH PATH_LENGTH_EXCEEDED`;
const UNDECODABLE = 'Content-Encoding Z_DATA_ERROR ERR_X_BROTLI ERR__ERROR_FORMAT';
const ALERTS = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED ERR_SSL_ALERT_CERT_X';
const TIMEOUTS = 'ETIMEDOUT UND_ERR_HEADERS_TIMEOUT ECONNABORTED';
it.each<[error: string, codes: string]>([
  ["certificate, unsent: The certificate of qr.example isn't trusted (CODE).", CERTIFICATES],
  ['network, unsent: qr.example could not be reached (CODE).', 'ECONNREFUSED ENOTFOUND EAI_AGAIN'],
  ['network: qr.example could not be reached (CODE).', `ECONNRESET ${ALERTS}`],
  ['network: The response of qr.example could not be decoded (CODE).', UNDECODABLE],
  ['network, unsent: The server at qr.example speaks http, not https.', 'ERR_SSL_WRONG_VERSION_NUMBER'],
  ['timeout: qr.example did not respond within 30 seconds.', TIMEOUTS],
])('a failure is reported as "%s"', (expected, codes) => {
  for (const code of codes.split(/\s+/)) {
    const error = requestFailed(REQUEST, { timedOut: false, code });
    expect(`${error.code}${error.unsent ? ', unsent' : ''}: ${error.message}`).toBe(
      expected.replace('CODE', code),
    );
  }
});

const failure = (code: unknown, message = '', cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });
it.each<[thrown: unknown, code: string | undefined]>([
  [failure('ECONNREFUSED'), 'ECONNREFUSED'],
  [failure(20, '', { cause: failure('ECONNREFUSED') }), 'ECONNREFUSED'],
  [failure('EPROTO', 'ssl/tls:wrong version number:1'), 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [failure('ERR_SSL_PACKET_LENGTH_TOO_LONG'), 'ERR_SSL_WRONG_VERSION_NUMBER'],
  ...[failure(20), undefined, null, 'text'].map((thrown): [unknown, undefined] => [thrown, undefined]),
])('finds in %p the code %p', (thrown, code) => expect(failureCode(thrown)).toBe(code));

const SPEAKS = 'The server at nas:80 speaks http, not https';
const HTTP = 'start the address with http://.';
it.each([
  [REQUEST, undefined, 'qr.example could not be reached (no response).'],
  [{ ...REQUEST, signal: AbortSignal.abort() }, 'ETIMEDOUT', 'The request was canceled.'],
  [{ ...REQUEST, url: 'https://nas:80/v1' }, 'ERR_SSL_WRONG_VERSION_NUMBER', `${SPEAKS}: ${HTTP}`],
])('says what failed for %j and the code %s', (request, code, message) => {
  expect(requestFailed(request, { timedOut: false, code })).toMatchObject({ message });
});
