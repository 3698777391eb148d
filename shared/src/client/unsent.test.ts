import { isTransportError } from '../errors/TransportError.ts';
import { QrServiceClient } from './QrServiceClient.ts';
import { requestFailed } from './requestFailed.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Outcome of a request: a response, or a failure with a Node.js code. */
type Outcome = TransportResponse | string;

/** Whether the error of a call is marked as unsent, given the outcomes of its requests. */
async function unsentAfter(
  call: (client: QrServiceClient) => Promise<unknown>,
  outcomes: readonly Outcome[],
): Promise<boolean> {
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
  const error: unknown = await call(client).catch((reason: unknown) => reason);
  expect(requests).toBe(outcomes.length);
  if (!isTransportError(error)) throw error;
  return error.unsent;
}

const create = ({ qr }: QrServiceClient) =>
  qr.create({
    name: 'Door',
    mode: 'dynamic',
    contentType: 'url',
    content: { targetUrl: 'https://a.example' },
  });
const response = (status: number): TransportResponse => ({ status, headers: {}, body: '' });

it.each<[string, boolean, Outcome[]]>([
  ['no attempt made a connection', true, ['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED']],
  ['an earlier attempt was cut off', false, ['ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED']],
  ['an earlier attempt timed out', false, ['ECONNREFUSED', 'ETIMEDOUT', 'ECONNREFUSED']],
  ['an earlier attempt failed with a 503', false, [response(503), 'ECONNREFUSED', 'ENOTFOUND']],
])('a call in which %s is marked as unsent: %p', async (_what, unsent, outcomes) => {
  expect(await unsentAfter(create, outcomes)).toBe(unsent);
});
