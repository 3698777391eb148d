import fc from 'fast-check';
import { PROTOTYPE_NAMES } from './bodies.ts';
import type { RawHeader } from './rawRequest.ts';

/** Node's limit for all headers, in bytes. */
const NODE_LIMIT = 16 * 1024;

const bytes = (from: number, to: number, maxLength: number) =>
  fc.array(fc.integer({ min: from, max: to }), { maxLength }).map((codes) => String.fromCharCode(...codes));

/** Any valid header value. */
export const ASCII = bytes(0x20, 0x7e, 60);

/** Unusual headers that are unrelated to the request. */
export const ODD_HEADERS: fc.Arbitrary<RawHeader[]> = fc
  .option(
    fc.oneof(
      fc.tuple(bytes(0x80, 0xff, 40)).map(([value]): RawHeader[] => [['X-Odd', value]]),
      fc.tuple(bytes(0x00, 0x1f, 10)).map(([value]): RawHeader[] => [['X-Control', `a${value}b`]]),
      fc
        .tuple(fc.constantFrom(...PROTOTYPE_NAMES), ASCII)
        .map(([name, value]): RawHeader[] => [[name, value]]),
      fc
        .integer({ min: 1000, max: NODE_LIMIT - 2000 })
        .map((size): RawHeader[] => [['X-Long', 'a'.repeat(size)]]),
      fc
        .integer({ min: NODE_LIMIT, max: 4 * NODE_LIMIT })
        .map((size): RawHeader[] => [['X-Too-Long', 'a'.repeat(size)]]),
      fc
        .integer({ min: 100, max: 3000 })
        .map((count): RawHeader[] => Array.from({ length: count }, (_, index) => [`X-${index}`, ''])),
      fc
        .constantFrom<RawHeader>(
          ['Expect', '100-continue'],
          ['Expect', 'nonsense'],
          ['Upgrade', 'websocket'],
          ['Origin', 'https://attacker.example'],
          ['Origin', 'null'],
          ['Cookie', 'n8n-auth=x; __proto__=y'],
          ['Authorization', 'Bearer '],
          ['Forwarded', 'for=";host=,proto'],
          ['X-Forwarded-For', '%%%, ::::'],
          ['X-HTTP-Method-Override', 'DELETE'],
          ['Range', 'bytes=0-0,-1'],
          ['Accept-Encoding', 'br;q=nonsense'],
          ['traceparent', '00-x-y-z'],
          ['User-Agent', 'Googlebot/2.1'],
          ['Trailer', '__proto__'],
        )
        .map((header) => [header]),
    ),
    { freq: 3 },
  )
  .map((headers) => headers ?? []);
