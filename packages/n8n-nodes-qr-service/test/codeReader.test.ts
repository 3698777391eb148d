import { ApiError, type QrCode } from '@qr-service/core';
import { codeReader } from '../nodes/QrService/common/codeReader.ts';

/** A reader on a service that rejects the first request with this status and error code. */
function start(code: string, status = 403) {
  let requests = 0;
  const get = (id: string) => {
    const rejected = new ApiError({
      status,
      code,
      message: 'No.',
      retryable: false,
      method: 'GET',
      path: '/qr',
    });
    return ++requests === 1 ? Promise.reject(rejected) : Promise.resolve({ slug: `${id}-slug` } as QrCode);
  };
  return { read: codeReader(get), requests: () => requests };
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

test('after one failure, only what is needed is requested', async () => {
  const { read, requests } = start('http_503', 503);
  expect(await read('a', true)).toBeUndefined();
  expect(await read('b', true)).toBeUndefined();
  expect((await read('b'))?.slug).toBe('b-slug');
  expect(requests()).toBe(2);
});
