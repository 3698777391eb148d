import { inspect } from 'node:util';
import { startVirtualTime } from '../../../test/support/jest/virtualTime.ts';
import { omitUndefined } from '../json/json.ts';
import { createTransport, type StreamedResponse } from './createTransport.ts';
import type { TransportRequest } from './transport.ts';

const request: TransportRequest = {
  method: 'GET',
  url: 'https://qr.example/v1',
  headers: { Authorization: 'Bearer qrs_secret' },
  responseType: 'json',
  timeoutMs: 30_000,
};

afterEach(() => jest.restoreAllMocks());

/** A response whose body begins and then stalls until the connection ends. */
function stalling() {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  stalled.catch(() => undefined);
  const destroy = jest.fn(() => reject(new Error('destroyed')));
  async function* chunks() {
    yield new Uint8Array([1]);
    await stalled;
  }
  return { status: 200, headers: {}, body: Object.assign(chunks(), { destroy }) };
}

it('returns the status, the headers and the whole body', async () => {
  const body = [1, 2].map((byte) => new Uint8Array([byte]));
  const response = { status: 200, headers: { 'Content-Length': '2' }, body };
  const destroy = jest.fn();
  const streamed = { ...response, body: Object.assign(body, { destroy }) };
  const transport = createTransport({ send: () => Promise.resolve(streamed) });
  const controller = new AbortController();
  const received = await transport({ ...request, signal: controller.signal });
  expect(received).toEqual({ ...response, body: Buffer.from([1, 2]) });
  controller.abort();
  expect(destroy).not.toHaveBeenCalled();
});

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

type Send = (response: StreamedResponse, signal: AbortSignal) => Promise<StreamedResponse>;
const never: Send = async ({ body }, signal) => {
  await aborted(signal);
  body.destroy?.();
  throw new Error('ended');
};
const SENDS: Record<string, Send> = {
  'a request without a response': never,
  'a body that stalls, even if the helper ignores the signal': (response) => Promise.resolve(response),
  'a body that only then begins': (response, signal) => aborted(signal).then(() => response),
};
const ENDINGS = [
  ['timeout', 'qr.example did not respond within 30 seconds.'],
  ['aborted', 'The request was canceled.'],
] as const;

describe.each(ENDINGS)('at the %s', (code, message) => {
  it.each(Object.entries(SENDS))('ends %s', async (_what, send) => {
    const time = startVirtualTime();
    const response = stalling();
    const controller = new AbortController();
    const transport = createTransport({ send: (_request, signal) => send(response, signal) });
    const pending = transport({ ...request, signal: controller.signal });
    await new Promise(setImmediate);
    if (code === 'timeout') time.advance(30_000);
    else controller.abort();
    await expect(pending).rejects.toMatchObject({ code, message });
    expect(response.body.destroy).toHaveBeenCalled();
  });
});

it('sends nothing for a call that was already canceled', async () => {
  const send = jest.fn();
  const canceled = createTransport({ send })({ ...request, signal: AbortSignal.abort() });
  await expect(canceled).rejects.toMatchObject({ code: 'aborted' });
  expect(send).not.toHaveBeenCalled();
});

it('fails for an empty body that was announced as longer, and ends the connection', async () => {
  const destroy = jest.fn();
  const send = (status: number, length?: string, more: object = { destroy }) => {
    const response = { headers: omitUndefined({ 'content-length': length }), body: Object.assign([], more) };
    return createTransport({ send: () => Promise.resolve({ status, ...response }) })(request);
  };
  for (const more of [{ destroy }, {}]) {
    const cutOff = { code: 'network', message: 'The response was cut off.' };
    await expect(send(200, '11', more)).rejects.toMatchObject(cutOff);
  }
  expect(destroy).toHaveBeenCalledTimes(1);
  for (const [status, length] of [[404, '11'], [200], [200, '0'], [204]] as const)
    expect(await send(status, length)).toMatchObject({ status });
});

it("keeps only the code of the helper's error, or of its cause", async () => {
  const cause = Object.assign(new Error('connect failed'), { code: 'ECONNRESET' });
  const thrown = Object.assign(new Error('Bearer qrs_secret'), { cause, config: request });
  const transport = createTransport({ send: () => Promise.reject(thrown) });
  const error: unknown = await transport(request).catch((reason: unknown) => reason);
  const message = 'qr.example could not be reached (ECONNRESET).';
  expect(error).toMatchObject({ code: 'network', message, unsent: false });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('qrs_secret');
});

it("waits in the platform's own way, if it has one", () => {
  const send = () => Promise.reject(new Error('not called'));
  const sleep = () => Promise.resolve();
  expect(createTransport({ send, sleep }).sleep).toBe(sleep);
  expect(createTransport({ send })).not.toHaveProperty('sleep');
});
