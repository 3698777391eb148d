import { anyCharacter, fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { codeLabel } from '../connector/qrCodes/qrCode.ts';
import { isQrServiceError } from '../errors/guards.ts';
import { isObject } from '../json/json.ts';
import { readErrorBody } from './errorBody.ts';
import { readDelay, readRateLimit } from './headers.ts';
import { readPage, readQrCodePage } from './list.ts';
import { readAccount, readQrCode, readRecord } from './record.ts';
import { identifyScans, type ScanOutputRow } from './scan.ts';
import { readSigningSecret, readSubscription } from './subscription.ts';
import { readTime } from './time.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const DAY = 24 * 60 * 60 * 1000;

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
  fc.constantFrom('data', 'items', 'qr', 'subscription', 'webhook', 'workspace', 'key', 'scopes'),
  fc.constantFrom('pagination', 'nextCursor', 'allowedDimensions', 'workspaceId'),
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
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 200 }) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

const PLAIN = { readPage, readQrCodePage, readQrCode, readSigningSecret, readSubscription, readAccount };
const READERS = Object.entries<(value: unknown) => unknown>({
  ...PLAIN,
  readRecord: (value) => readRecord(value),
  readErrorBody: (value) => readErrorBody(422, value),
  identifyScans: (value) => (isObject(value) ? identifyScans([value]) : undefined),
  codeLabel: (value) => (isObject(value) ? codeLabel({ ...value, id: 'qr_1' }) : undefined),
});

describe('any response body', () => {
  it.each(READERS)('makes %s throw nothing but QrServiceError, and is left unchanged', (_name, read) => {
    fc.assert(
      fc.property(body, (value) => {
        const before = structuredClone(value);
        outcome(() => read(value));
        expect(value).toEqual(before);
        expect(({} as Record<string, unknown>)['slug']).toBeUndefined();
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
        expect(readErrorBody(status, value).code).not.toBe('');
        if (!isObject(value)) return;
        const [{ id, scannedAt }] = identifyScans([value]) as [ScanOutputRow];
        expect(identifyScans([structuredClone(value)])[0]?.id).toBe(id);
        expect(identifyScans([value, value])).toHaveLength(1);
        expect(codeLabel({ ...value, id: 'qr_1' })).not.toBe('');
        expect(scannedAt ?? '1970-01-01T00:00:00.000Z').toMatch(/^[+-]?\d+-\d\d-\d\dT[\d:.]+Z$/);
      }),
      { numRuns: runs(200, 1000) },
    );
  });
});

const header = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.double().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.constantFrom('9'.repeat(65_536), '-1', ' 5', '5 ', '5,7', '1e3', '.5', 'Thu, 01 Jan 2026 00:00:05 GMT'),
);

it('reads any header as a delay of 0 to 24 hours, and as whole numbers of a rate limit, or not at all', () => {
  fc.assert(
    fc.property(header, header, header, (limit, left, reset) => {
      const delay = readDelay(reset, NOW) ?? 0;
      expect(delay >= 0 && delay <= DAY).toBe(true);
      const counts = { 'x-ratelimit-limit': limit, 'X-RateLimit-Remaining': [left] };
      const read = readRateLimit({ ...counts, 'X-RATELIMIT-RESET': reset }, NOW);
      for (const value of Object.values(read ?? {}))
        expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
    }),
    { numRuns: runs(200, 1000) },
  );
});

it('reads the same time in every format of any Date, with and without its zone', () => {
  const min = new Date('1000-01-01');
  const max = new Date('9999-12-31');
  const moment = fc.date({ min, max, noInvalidDate: true });
  fc.assert(
    fc.property(moment, (date) => {
      const iso = date.toISOString();
      for (const text of [iso, iso.replace('T', ' ').replace('Z', '')])
        expect(readTime(text)).toBe(date.getTime());
      expect(readTime(date.toUTCString())).toBe(Math.floor(date.getTime() / 1000) * 1000);
    }),
    { numRuns: runs(50, 1000) },
  );
});
