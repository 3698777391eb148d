import { targetUrlOf } from './targetUrl.ts';

const URL = 'https://example.com/menu';

test.each([
  ['in the code', { targetUrl: URL }, URL],
  ['in its content', { content: { targetUrl: URL } }, URL],
  ['in both', { targetUrl: URL, content: { targetUrl: 'https://example.org' } }, URL],
  ['nowhere', { name: 'Door' }, undefined],
  ['in content that is no object', { content: URL }, undefined],
  ['in no text', { targetUrl: 7, content: null }, undefined],
  ['in no code', undefined, undefined],
])('finds a target %s', (_place, code, expected) => {
  expect(targetUrlOf(code as Parameters<typeof targetUrlOf>[0])).toBe(expected);
});
