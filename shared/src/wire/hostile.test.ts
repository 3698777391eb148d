import { countReads } from '../../../test/support/countReads.ts';
import { readAccount } from './account.ts';
import { readErrorBody } from './errorBody.ts';
import { readPage, readQrCodePage } from './list.ts';
import { readQrCode } from './qrCode.ts';
import { readRecord } from './record.ts';
import { scanId, scanTime } from './scan.ts';
import { describeSecretFields, readSigningSecret, readSubscription } from './secret.ts';

const READERS: [string, (body: unknown) => unknown][] = [
  ['account', readAccount],
  ['page', readPage],
  ['page of codes', readQrCodePage],
  ['code', readQrCode],
  ['record', readRecord],
  ['subscription', readSubscription],
  ['secret', readSigningSecret],
  ['secret fields', describeSecretFields],
  ['failure', (body) => readErrorBody({ status: 422, body })],
];

const deep = (open: string, close: string, levels: number) =>
  open.repeat(levels) + '1' + close.repeat(levels);
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, {}]));

const SIZED: [name: string, write: (size: number) => string, large: number][] = [
  ['deeply nested objects', (size) => deep('{"data":', '}', size), 100_000],
  ['deeply nested arrays', (size) => deep('[', ']', size), 100_000],
  ['deeply nested rows', (size) => `{"data":[{"id":"a","x":${deep('[', ']', size)}}]}`, 100_000],
  ['very many keys', (size) => JSON.stringify(keys(size)), 20_000],
];

const POLLUTING: [string, string][] = [
  [
    'a prototype to inherit from',
    '{"__proto__":{"id":"qr_1","slug":"a","secret":"s","data":[{"id":"b"}],"polluted":true}}',
  ],
  ['a prototype in a list', '{"data":[{"__proto__":{"id":"qr_1","polluted":true}}]}'],
  [
    'the names of inherited properties',
    '{"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":1}',
  ],
];

/** What a reader returns, or the code of the error that it throws. */
function outcome(read: (body: unknown) => unknown, body: unknown): unknown {
  try {
    return read(body);
  } catch (error) {
    expect(error).toMatchObject({ code: 'unreadable_response' });
    expect((error as Error).message.length).toBeLessThan(8000);
    return 'unreadable_response';
  }
}

describe.each(SIZED)('a body with %s', (_what, write, large) => {
  const steps = (read: (body: unknown) => unknown, size: number) =>
    countReads<unknown>(JSON.parse(write(size)), (watched) => outcome(read, watched));

  it('is read or refused by every reader, however large it is', () => {
    const body: unknown = JSON.parse(write(large));
    for (const [, read] of READERS) outcome(read, body);
  });

  it.each(READERS)('takes the %s reader at most twice as many steps at twice the size', (_reader, read) =>
    expect(steps(read, 2000)).toBeLessThanOrEqual(2 * steps(read, 1000) + 100),
  );
});

describe.each(POLLUTING)('a body with %s', (_what, json) => {
  it.each(READERS)('is read by the %s reader without a change to other objects', (_reader, read) => {
    outcome(read, JSON.parse(json));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

it('ignores the contents of __proto__', () => {
  const body: unknown = JSON.parse(
    '{"__proto__":{"id":"qr_1","slug":"a","secret":"s","workspaceId":"w","code":"c"}}',
  );
  expect(readQrCode(body)).toBeUndefined();
  expect(readAccount(body).workspace).toBeUndefined();
  expect(readErrorBody({ status: 404, body }).code).toBe('http_404');
  expect(Object.getPrototypeOf(readAccount(body))).toBe(Object.prototype);
});

it('keeps a row with __proto__ in its place, and its prototype', () => {
  const page = readPage(JSON.parse('{"data":[{"id":1,"__proto__":{"scannedAt":"2026-01-01T00:00:00Z"}}]}'));
  const [row] = page.rows;
  expect(scanTime(row!)).toBeUndefined();
  expect(scanId(row!)).toBe('1');
  const [code] = readQrCodePage(JSON.parse('{"data":[{"id":1,"__proto__":{"slug":"a"}}]}')).rows;
  expect(Object.getPrototypeOf(code)).toBe(Object.prototype);
});
