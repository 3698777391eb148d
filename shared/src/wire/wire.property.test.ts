import { countReads } from '../../../test/support/countReads.ts';
import { fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { isQrServiceError } from '../errors/QrServiceError.ts';
import { readAccount } from './account.ts';
import { readDelay } from './delay.ts';
import { readErrorBody } from './errorBody.ts';
import { readHeader } from './headers.ts';
import { readImageFormat } from './image.ts';
import { readPage, readQrCodePage } from './list.ts';
import { readQrCode } from './qrCode.ts';
import { readRateLimit } from './rateLimit.ts';
import { isObject } from '../json/values.ts';
import { readRecord } from './record.ts';
import { codeLabel } from '../connector/code.ts';
import { scanId, scanRows, scanTime } from './scan.ts';
import { readSigningSecret, readSubscription } from './secret.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const DAY = 24 * 60 * 60 * 1000;
const LONGEST = 64 * 1024;
/** Steps that doubling an input may add beyond twice the steps. */
const A_FEW_STEPS = 100;

/** What a reader returns, or undefined if it throws an error of the core. Any other error is passed on. */
function outcome<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isQrServiceError(error)) return undefined;
    throw error;
  }
}

/** Names that the readers look for, as they ignore random names. */
const name = fc.oneof(
  fc.constantFrom('data', 'items', 'qrs', 'scans', 'qr', 'subscription', 'webhook', 'workspace', 'key'),
  fc.constantFrom('pagination', 'nextCursor', 'allowedDimensions', 'scopes', 'granted', 'workspaceId'),
  fc.constantFrom('id', 'name', 'slug', 'publicUrl', 'updatedAt', 'secret', 'signingSecret', 'scanId'),
  fc.constantFrom('error', 'message', 'code', 'details', 'requestId', 'scannedAt', 'timestamp', 'at'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'toJSON', 'hasOwnProperty', 'length'),
  fc.string({ maxLength: 4 }),
);
const leaf = fc.oneof(
  fc.constantFrom(null, true, '', 0, -1, 1e300, NOW, NOW / 1000, 8.64e15, 'qr_1', '2026-01-01T00:00:00Z'),
  fc.jsonValue({ maxDepth: 1 }),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    leaf,
    fc.dictionary(name, tie('json'), { maxKeys: 6 }),
    fc.array(tie('json'), { maxLength: 4 }),
  ),
}));
/** A body as received: parsed from JSON, so that `__proto__` is an own key, or text that isn't JSON. */
const body = fc.oneof(
  { weight: 8, arbitrary: json.map((value) => JSON.parse(JSON.stringify(value)) as unknown) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

const headerPart = fc.oneof(
  fc.constantFrom('0', '9', '7', ' ', '\t', '.', ',', '-', '+', 'e', ';', '/', 'image/png', 'GMT', '(', ':'),
  fc.constantFrom('Thu, ', '01 Jan 2026 ', '00:00:05', String(NOW), String(NOW / 1000), 'text/xml'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const header = fc.record({
  text: fc.oneof(
    fc.array(headerPart, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.double().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  ),
  repeats: fc.constantFrom(1, 1, LONGEST),
  end: fc.oneof(fc.constant(''), headerPart),
});
type Header = typeof header extends fc.Arbitrary<infer R> ? R : never;
const spell = ({ text, repeats, end }: Header) => text.repeat(repeats).slice(0, LONGEST - end.length) + end;

const READERS: [string, (value: unknown) => unknown][] = [
  ['readPage', readPage],
  ['readQrCodePage', readQrCodePage],
  ['readRecord', readRecord],
  ['readQrCode', readQrCode],
  ['readSigningSecret', readSigningSecret],
  ['readSubscription', readSubscription],
  ['readAccount', readAccount],
  ['readErrorBody', (value) => readErrorBody({ status: 422, body: value })],
  ['scanId', (value) => (isObject(value) ? scanId(value) : undefined)],
  ['codeLabel', (value) => (isObject(value) ? codeLabel({ ...value, id: 'qr_1' }) : undefined)],
  ['scanTime', (value) => (isObject(value) ? scanTime(value) : undefined)],
];

describe('any response body', () => {
  it.each(READERS)('makes %s throw nothing but QrServiceError, and is left unchanged', (_name, read) => {
    fc.assert(
      fc.property(body, (value) => {
        const before = structuredClone(value);
        outcome(() => read(value));
        expect(value).toEqual(before);
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it('is read into valid values', () => {
    fc.assert(
      fc.property(body, fc.integer({ min: 100, max: 599 }), (value, status) => {
        const page = outcome(() => readPage(value));
        for (const row of page?.rows ?? []) expect(isObject(row)).toBe(true);
        expect(page?.nextCursor).not.toBe('');
        expect(outcome(() => readRecord(value))?.id).not.toBe('');
        expect(outcome(() => readSubscription(value))?.id).not.toBe('');
        expect(outcome(() => readSigningSecret(value))).not.toBe('');
        const failure = readErrorBody({ status, body: value });
        expect([failure.code, failure.message]).not.toContain('');
        if (!isObject(value)) return;
        expect(scanId(value)).toBe(scanId(structuredClone(value)));
        const ids = new Set(scanRows([value, value]).map(({ id }) => id));
        expect(ids.size).toBe(scanId(value).startsWith('scan-') ? 2 : 1);
        expect(codeLabel({ ...value, id: 'qr_1' })).not.toBe('');
        expect(scanTime(value) ?? '1970-01-01T00:00:00.000Z').toMatch(/^[+-]?\d+-\d\d-\d\dT[\d:.]+Z$/);
      }),
      { numRuns: runs(200, 1000) },
    );
  });
});

describe('any header up to 64 KiB', () => {
  it('is read as a delay of 0 to 24 hours, or not at all', () => {
    fc.assert(
      fc.property(header, (text) => {
        const delay = readDelay(spell(text), NOW) ?? 0;
        expect(delay >= 0 && delay <= DAY).toBe(true);
      }),
      { numRuns: runs(200, 1000) },
    );
  });

  it('is read as a rate limit of whole numbers, or not at all', () => {
    fc.assert(
      fc.property(header, header, header, (limit, remaining, reset) => {
        const headers = {
          'x-ratelimit-limit': spell(limit),
          'X-RateLimit-Remaining': [spell(remaining)],
          'X-RATELIMIT-RESET': spell(reset),
        };
        for (const value of Object.values(readRateLimit(headers, NOW) ?? {}))
          expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it('is read as the type of an image, or refused with a QrServiceError', () => {
    const start = fc.constantFrom('\x89PNG\r\n\x1a\n', '%PDF-', '<svg ', '<?xml ', '<!--', ' ', '\n', '{');
    fc.assert(
      fc.property(header, start, fc.constantFrom(1, 4096), (text, beginning, repeats) => {
        const bytes = Buffer.from(beginning.repeat(repeats), 'latin1');
        const format = outcome(() => readImageFormat(spell(text), bytes));
        expect(['png', 'svg', 'pdf', undefined]).toContain(format);
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it('is found under its own name in any case and under no other', () => {
    fc.assert(
      fc.property(header, (text) => {
        const name = `X-${spell(text)}`;
        const headers = { 'X-Other': 'a', [name]: 'b' };
        expect(readHeader(headers, name.toLowerCase())).toBe(name.toLowerCase() === 'x-other' ? 'a' : 'b');
        expect(readHeader(headers, `${name}!`)).toBeUndefined();
        expect(readHeader(headers, 'Retry-After')).toBeUndefined();
      }),
      { numRuns: runs(100, 500) },
    );
  });
});

it('finds a header among twice as many in at most twice as many steps', () => {
  const steps = (count: number) => {
    const headers = Object.fromEntries(Array.from({ length: count }, (_, nth) => [`X-Header-${nth}`, 'a']));
    return countReads(headers, (watched) => readHeader(watched, 'Retry-After'));
  };
  expect(steps(1000)).toBeGreaterThan(1000);
  expect(steps(2000)).toBeLessThanOrEqual(2 * steps(1000) + A_FEW_STEPS);
});
