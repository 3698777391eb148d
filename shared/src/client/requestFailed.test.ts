import { failureCode, requestFailed } from './requestFailed.ts';

const request = {
  method: 'GET' as const,
  url: 'https://qr.example/v1',
  headers: {},
  responseType: 'json' as const,
  timeoutMs: 30_000,
};

const UNTRUSTED = [
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'INVALID_CA'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CRL_HAS_EXPIRED'],
];
it.each<[kind: string, isUnsent: boolean, codes: string[]]>([
  ['certificate', true, UNTRUSTED],
  ['network', true, ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']],
  ['network', false, ['ECONNRESET', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED']],
  ['timeout', false, ['ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT']],
])('the failure is of the kind %s, certainly unsent: %p, with each of %j', (kind, unsent, codes) => {
  for (const code of codes)
    expect([code, requestFailed(request, { timedOut: false, code })]).toMatchObject([code, { kind, unsent }]);
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
