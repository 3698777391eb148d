import { inspect } from 'node:util';
import { startVirtualTime } from '../../../test/support/jest/virtualTime.ts';
import type { TransportRequest } from '../client/transport.ts';
import { createTransport, type HttpHelper, type StreamedResponse } from './createTransport.ts';

const request: TransportRequest = {
  method: 'GET',
  url: 'https://qr.example/v1',
  headers: { Authorization: 'Bearer qrs_secret' },
  responseType: 'json',
  timeoutMs: 30_000,
};

afterEach(() => jest.restoreAllMocks());

const until = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('ended')));
  });

/** A response whose body begins and then stalls until the connection ends. */
function stalling(): StreamedResponse & { destroyed: () => boolean } {
  let destroyed = false;
  let fail: (reason: Error) => void = () => undefined;
  const stalled = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  stalled.catch(() => undefined);
  const body = {
    async *[Symbol.asyncIterator]() {
      yield new Uint8Array([1]);
      await stalled;
    },
    destroy() {
      destroyed = true;
      fail(new Error('destroyed'));
    },
  };
  return { status: 200, headers: {}, body, destroyed: () => destroyed };
}

async function* pieces(...bytes: number[]) {
  for (const byte of bytes) yield await Promise.resolve(new Uint8Array([byte]));
}

const responding = (response: StreamedResponse): HttpHelper => ({ send: () => Promise.resolve(response) });

it('returns the status, the headers and the whole body', async () => {
  const headers = { 'X-Any': 'a' };
  const transport = createTransport(responding({ status: 404, headers, body: pieces(1, 2) }));
  expect(await transport(request)).toEqual({ status: 404, headers, body: Buffer.from([1, 2]) });
});

it('ends a request without a response at the time limit', async () => {
  const time = startVirtualTime();
  const pending = createTransport({ send: (_request, signal) => until(signal) })(request);
  time.advance(30_000);
  await expect(pending).rejects.toMatchObject({
    kind: 'timeout',
    message: 'qr.example did not respond within 30 seconds.',
  });
});

it('ends a body that stalls at the time limit, even if the helper ignores the signal', async () => {
  const time = startVirtualTime();
  const response = stalling();
  const pending = createTransport(responding(response))(request);
  await new Promise(setImmediate);
  time.advance(30_000);
  await expect(pending).rejects.toMatchObject({ kind: 'timeout' });
  expect(response.destroyed()).toBe(true);
});

it("doesn't read the body of a response that arrives after the time limit", async () => {
  const time = startVirtualTime();
  const response = stalling();
  let respond: () => void = () => undefined;
  const send = () =>
    new Promise<StreamedResponse>((resolve) => {
      respond = () => resolve(response);
    });
  const pending = createTransport({ send })(request);
  time.advance(30_000);
  respond();
  await expect(pending).rejects.toMatchObject({ kind: 'timeout' });
  expect(response.destroyed()).toBe(true);
});

it('ends a body when the caller cancels', async () => {
  const response = stalling();
  const controller = new AbortController();
  const pending = createTransport(responding(response))({ ...request, signal: controller.signal });
  await new Promise(setImmediate);
  controller.abort();
  await expect(pending).rejects.toMatchObject({ kind: 'aborted', message: 'The request was canceled.' });
  expect(response.destroyed()).toBe(true);
});

it('sends nothing for a call that was already canceled', async () => {
  const send = jest.fn();
  await expect(createTransport({ send })({ ...request, signal: AbortSignal.abort() })).rejects.toMatchObject({
    kind: 'aborted',
  });
  expect(send).not.toHaveBeenCalled();
});

it('fails for an empty body that was announced as longer, and ends the connection', async () => {
  const destroy = jest.fn();
  const body = Object.assign([], { destroy });
  const headers = { 'content-length': '11' };
  const send = (status: number) => createTransport(responding({ status, headers, body }))(request);
  await expect(send(200)).rejects.toMatchObject({ kind: 'network', message: 'The response was cut off.' });
  expect(destroy).toHaveBeenCalledTimes(1);
  expect(await send(404)).toMatchObject({ status: 404 });
});

it("keeps only the code of the helper's error, or of its cause", async () => {
  const cause = Object.assign(new Error('connect failed'), { code: 'ECONNRESET' });
  const thrown = Object.assign(new Error('Bearer qrs_secret'), { cause, config: request });
  const transport = createTransport({ send: () => Promise.reject(thrown) });
  const error: unknown = await transport(request).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    kind: 'network',
    message: 'qr.example could not be reached (ECONNRESET).',
    unsent: false,
  });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('qrs_secret');
});

it("waits in the platform's own way, if it has one", () => {
  const send = () => Promise.reject(new Error('not called'));
  const sleep = () => Promise.resolve();
  expect(createTransport({ send, sleep }).sleep).toBe(sleep);
  expect(createTransport({ send })).not.toHaveProperty('sleep');
});
