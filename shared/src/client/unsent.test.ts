import { isQrServiceError, isTransportError } from '../errors/guards.ts';
import { QrServiceClient } from './QrServiceClient.ts';
import { requestFailed } from './requestFailed.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Outcome of a request: a response, or a failure with a Node.js code. */
type Outcome = TransportResponse | string;

/** What the error of a creation says about what was sent and done, given the outcomes of its requests. */
async function saysAfter(outcomes: readonly Outcome[]): Promise<unknown[]> {
  let requests = 0;
  const transport = (request: TransportRequest): Promise<TransportResponse> => {
    const outcome = outcomes[requests++]!;
    if (typeof outcome !== 'string') return Promise.resolve(outcome);
    return Promise.reject(requestFailed(request, { timedOut: false, code: outcome }));
  };
  const client = new QrServiceClient({
    baseUrl: 'https://api.example.com',
    apiKey: 'qrs_key',
    transport,
    sleep: () => Promise.resolve(),
    retry: { maxAttempts: 3 },
  });
  const content = { targetUrl: 'https://a.example' };
  const input = { name: 'Door', mode: 'dynamic', contentType: 'url', content };
  const error: unknown = await client.qr.create(input).catch((reason: unknown) => reason);
  expect(requests).toBe(outcomes.length);
  if (!isQrServiceError(error)) throw error;
  return [isTransportError(error) && error.unsent, error.isUnconfirmed, error.unconfirmedCode];
}

const response = (status: number, body: unknown = ''): TransportResponse => ({ status, headers: {}, body });
const NOT_DONE = [false, undefined, undefined];
const MAYBE_DONE = [false, true, 'Door'];

it.each<[string, unknown[], Outcome[]]>([
  ['no attempt made a connection', [true, undefined, undefined], ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']],
  ['an earlier attempt was cut off', MAYBE_DONE, ['ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED']],
  ['an earlier attempt timed out', MAYBE_DONE, ['ECONNREFUSED', 'ETIMEDOUT', 'ECONNREFUSED']],
  ['each attempt failed with a 500', MAYBE_DONE, Array<Outcome>(3).fill(response(500))],
  ['each attempt failed with a 408', MAYBE_DONE, Array<Outcome>(3).fill(response(408))],
  [
    'the first attempt was still running',
    MAYBE_DONE,
    [response(409, { code: 'idempotency_in_progress' }), response(422, { code: 'validation_failed' })],
  ],
  ['the response is cut off', MAYBE_DONE, Array<Outcome>(3).fill(response(200, '{"id":'))],
  ['the response is no code', MAYBE_DONE, [response(200, '{"ok":true}')]],
  ['the request was refused', NOT_DONE, [response(422, { code: 'validation_failed' })]],
  ['the request was redirected', NOT_DONE, [response(302)]],
])('the error of a creation says what may have been done if %s', async (_what, expected, outcomes) => {
  expect(await saysAfter(outcomes)).toEqual(expected);
});
