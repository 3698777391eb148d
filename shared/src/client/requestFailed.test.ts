import { failureCode, requestFailed } from './requestFailed.ts';

const request = {
  method: 'GET' as const,
  url: 'https://qr.example/v1',
  headers: {},
  responseType: 'json' as const,
  timeoutMs: 30_000,
};

it.each([
  ['CERT_HAS_EXPIRED', 'certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
  ['INVALID_CA', 'certificate'],
  ['CRL_HAS_EXPIRED', 'certificate'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'network'],
  ['ECONNREFUSED', 'network'],
  ['ENOTFOUND', 'network'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
])('reports %s as a failure of the kind %s', (code, kind) => {
  expect(requestFailed(request, { timedOut: false, code }).kind).toBe(kind);
});

it.each([
  ['ECONNREFUSED', true],
  ['ENOTFOUND', true],
  ['EAI_AGAIN', true],
  ['CERT_HAS_EXPIRED', true],
  ['ECONNRESET', false],
  ['ETIMEDOUT', false],
])('says of %s whether the request is certain not to have been sent: %p', (code, unsent) => {
  expect(requestFailed(request, { timedOut: false, code }).unsent).toBe(unsent);
});

it.each([
  [
    'https://localhost:8080/v1',
    'The server at localhost:8080 speaks http, not https: start the address with http://.',
  ],
  ['https://qr.example/v1', 'The server at qr.example speaks http, not https.'],
])('says that the server of %s does not encrypt', (url, message) => {
  const code = failureCode(Object.assign(new Error('ssl/tls:wrong version number:1'), { code: 'EPROTO' }));
  expect(requestFailed({ ...request, url }, { timedOut: false, code })).toMatchObject({
    message,
    unsent: true,
  });
});

it('finds the code of a failure in its chain of causes', () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  expect(failureCode(refused)).toBe('ECONNREFUSED');
  expect(failureCode(new Error('outer', { cause: { cause: refused } }))).toBe('ECONNREFUSED');
  expect(failureCode(Object.assign(new Error('aborted'), { code: 20 }))).toBeUndefined();
  for (const value of [undefined, null, 'text']) expect(failureCode(value)).toBeUndefined();
});
