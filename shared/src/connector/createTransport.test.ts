import { inspect } from 'node:util';
import { startVirtualTime } from '../../../test/support/jest/virtualTime.ts';
import type { TransportRequest } from '../client/transport.ts';
import { createTransport, type StreamedResponse } from './createTransport.ts';

const request: TransportRequest = {
  method: 'GET',
  url: 'https://qr.example/v1',
  headers: { Authorization: 'Bearer qrs_secret' },
  responseType: 'json',
  timeoutMs: 30_000,
};

afterEach(() => jest.restoreAllMocks());

/** A response whose body begins and then stalls until the connection ends. */
function stalling(): StreamedResponse & { destroyed: () => boolean } {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  stalled.catch(() => undefined);
  let destroyed = false;
  const body = {
    async *[Symbol.asyncIterator]() {
      yield new Uint8Array([1]);
      await stalled;
    },
    destroy() {
      destroyed = true;
      reject(new Error('destroyed'));
    },
  };
  return { status: 200, headers: {}, body, destroyed: () => destroyed };
}

async function* pieces(...bytes: number[]) {
  for (const byte of bytes) yield await Promise.resolve(new Uint8Array([byte]));
}

it('returns the status, the headers and the whole body', async () => {
  const response = { status: 404, headers: { 'X-Any': 'a' }, body: pieces(1, 2) };
  const transport = createTransport({ send: () => Promise.resolve(response) });
  expect(await transport(request)).toEqual({ ...response, body: Buffer.from([1, 2]) });
});

describe('at the time limit', () => {
  it.each<[string, (response: StreamedResponse, signal: AbortSignal) => Promise<StreamedResponse>]>([
    [
      'a request without a response',
      (response, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('ended')));
        }).finally(() => response.body.destroy?.()) as Promise<never>,
    ],
    ['a body that stalls, even if the helper ignores the signal', (response) => Promise.resolve(response)],
    [
      'a body that only then begins',
      (response, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(response));
        }),
    ],
  ])('ends %s', async (_what, send) => {
    const time = startVirtualTime();
    const response = stalling();
    const pending = createTransport({ send: (_request, signal) => send(response, signal) })(request);
    await new Promise(setImmediate);
    time.advance(30_000);
    await expect(pending).rejects.toMatchObject({
      kind: 'timeout',
      message: 'qr.example did not respond within 30 seconds.',
    });
    expect(response.destroyed()).toBe(true);
  });
});

it('ends a body when the caller cancels', async () => {
  const response = stalling();
  const controller = new AbortController();
  const transport = createTransport({ send: () => Promise.resolve(response) });
  const pending = transport({ ...request, signal: controller.signal });
  await new Promise(setImmediate);
  controller.abort();
  await expect(pending).rejects.toMatchObject({ kind: 'aborted', message: 'The request was canceled.' });
  expect(response.destroyed()).toBe(true);
});

it('sends nothing for a call that was already canceled', async () => {
  const send = jest.fn();
  const canceled = createTransport({ send })({ ...request, signal: AbortSignal.abort() });
  await expect(canceled).rejects.toMatchObject({ kind: 'aborted' });
  expect(send).not.toHaveBeenCalled();
});

it('fails for an empty body that was announced as longer, and ends the connection', async () => {
  const destroy = jest.fn();
  const body = Object.assign([], { destroy });
  const headers = { 'content-length': '11' };
  const send = (status: number) =>
    createTransport({ send: () => Promise.resolve({ status, headers, body }) })(request);
  await expect(send(200)).rejects.toMatchObject({ kind: 'network', message: 'The response was cut off.' });
  expect(destroy).toHaveBeenCalledTimes(1);
  expect(await send(404)).toMatchObject({ status: 404 });
});

it("keeps only the code of the helper's error, or of its cause", async () => {
  const cause = Object.assign(new Error('connect failed'), { code: 'ECONNRESET' });
  const thrown = Object.assign(new Error('Bearer qrs_secret'), { cause, config: request });
  const transport = createTransport({ send: () => Promise.reject(thrown) });
  const error: unknown = await transport(request).catch((reason: unknown) => reason);
  const message = 'qr.example could not be reached (ECONNRESET).';
  expect(error).toMatchObject({ kind: 'network', message, unsent: false });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('qrs_secret');
});

it("waits in the platform's own way, if it has one", () => {
  const send = () => Promise.reject(new Error('not called'));
  const sleep = () => Promise.resolve();
  expect(createTransport({ send, sleep }).sleep).toBe(sleep);
  expect(createTransport({ send })).not.toHaveProperty('sleep');
});
