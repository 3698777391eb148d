import { ApiError, type QrServiceClient } from '@qr-service/core';
import { codeReader } from '../nodes/QrService/helpers/codeReader.ts';

/** A reader at a service that refuses the first request with 403 and this code. */
function start(code: string) {
  let requests = 0;
  const get = (id: string) => {
    const refused = new ApiError({
      status: 403,
      code,
      message: 'No.',
      retryable: false,
      method: 'GET',
      path: '/qr',
    });
    return ++requests === 1 ? Promise.reject(refused) : Promise.resolve({ slug: `${id}-slug` });
  };
  const read = codeReader({ qr: { get } } as unknown as QrServiceClient, {});
  return { read, requests: () => requests };
}

test.each([
  ['insufficient_scope', 'is not asked for again', undefined, 1],
  ['quota_exceeded', 'is asked for at the next item', 'b-slug', 2],
])('a code refused with %s %s', async (code, _what, expected, count) => {
  const { read, requests } = start(code);
  expect(await read('a')).toBeUndefined();
  expect((await read('b'))?.slug).toBe(expected);
  expect(requests()).toBe(count);
});
