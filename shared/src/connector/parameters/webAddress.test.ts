import { fc } from '../../../../test/support/fastCheck.ts';
import { toWebAddress } from './webAddress.ts';

const INFO = { label: 'url' };

it('keeps every absolute URL', () => {
  const others = fc.constantFrom(
    'mailto:a@example.com',
    'mailto:a@example.com?body=https:',
    'tel:+41442681234',
    'sms:12345',
    'geo:1,2',
    'app://a.b',
  );
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), others), (url) => {
      expect(toWebAddress(url, INFO)).toBe(url);
      expect(toWebAddress(` ${url}\n`, INFO)).toBe(url);
    }),
  );
});

it('adds https:// to a host with a dot, and to nothing twice', () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }), (url) => {
      expect(toWebAddress(url.replace('https://', ''), INFO)).toBe(url);
    }),
  );
});

test.each([
  'HTTP://example.com/menu?table=4#top',
  'https://localhost:3000',
  'https://192.168.1.20/menu',
  'example.com:8080/menu',
  'www.example.com?table=4',
  'müller.example/karte',
])('reads %s', (text) => {
  expect(toWebAddress(text, INFO)).toBe(/^https?:/i.test(text) ? text : `https://${text}`);
});

test.each([
  'nowhere',
  'N/A',
  '3.50',
  '1.2.3.4',
  'e.g.',
  'Dr. No',
  'info@example.com',
  '//example.com',
  'javascript:alert(1)',
  'java\tscript:alert(1)',
  'https://example.com/1\nhttps://example.com/2',
  'https:example.com',
  'http:///menu',
  'https://a b',
  'https://[x',
])('refuses %j', (text) => {
  const message = `url isn't a valid web address: '${text.replace(/\s/, ' ')}'.`;
  expect(() => toWebAddress(text, INFO)).toThrow(
    expect.objectContaining({ message, code: 'validation_failed', parameter: 'url' }),
  );
});

test.each([
  ['', 'url is empty.'],
  [{}, 'url must be text, but got an object {}.'],
])('refuses %j', (value, message) => {
  expect(() => toWebAddress(value, INFO)).toThrow(message);
});
