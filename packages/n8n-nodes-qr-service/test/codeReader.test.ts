import { ApiError, type QrServiceClient } from '@qr-service/core';
import { codeReader } from '../nodes/QrService/helpers/codeReader.ts';

/** A reader on a service that rejects the first request with 403 and this error code. */
function start(code: string) {
  let requests = 0;
  const get = (id: string) => {
    const rejected = new ApiError({
      status: 403,
      code,
      message: 'No.',
      retryable: false,
      method: 'GET',
      path: '/qr',
    });
    return ++requests === 1 ? Promise.reject(rejected) : Promise.resolve({ slug: `${id}-slug` });
  };
  const read = codeReader({ qr: { get } } as unknown as QrServiceClient, {});
  return { read, requests: () => requests };
}

test.each([
  ['insufficient_scope', 'is not requested again', undefined, 1],
  ['quota_exceeded', 'is requested again for the next item', 'b-slug', 2],
])('a code rejected with %s %s', async (code, _what, expected, count) => {
  const { read, requests } = start(code);
  expect(await read('a')).toBeUndefined();
  expect((await read('b'))?.slug).toBe(expected);
  expect(requests()).toBe(count);
});
