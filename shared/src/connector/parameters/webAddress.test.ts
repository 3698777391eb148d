import { isParameterError } from './ParameterError.ts';
import { toWebAddress } from './webAddress.ts';

const INFO = { label: 'url' };

test.each([
  ['https://example.com', 'https://example.com'],
  [' HTTP://example.com/menu?table=4#top ', 'HTTP://example.com/menu?table=4#top'],
  ['https://localhost:3000', 'https://localhost:3000'],
  ['', undefined],
  [null, undefined],
])('reads %j as a web address', (value, expected) => {
  expect(toWebAddress(value, INFO)).toBe(expected);
});

test.each([
  ['example.com', "url isn't a valid web address: 'example.com'.", 'Start it with https://'],
  ['javascript:alert(1)', "url isn't a valid web address: 'javascript:alert(1)'.", 'Start it with https://'],
  ['https:///menu', "url isn't a valid web address: 'https:///menu'.", 'Use a full web address'],
  ['https://a b', "url isn't a valid web address: 'https://a b'.", 'Use a full web address'],
  ['https://[x', "url isn't a valid web address: 'https://[x'.", 'Use a full web address'],
  [{}, 'url must be text, but got an object {}.', 'Correct the value.'],
])('refuses %j', (value, message, advice) => {
  try {
    toWebAddress(value, INFO);
  } catch (error) {
    expect(isParameterError(error) && error).toMatchObject({ code: 'invalid_input', parameter: 'url' });
    expect(error).toMatchObject({ message, advice: expect.stringContaining(advice) as string });
    return;
  }
  throw new Error('Nothing was thrown.');
});
