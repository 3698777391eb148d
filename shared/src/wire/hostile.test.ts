import { readAccount } from './account.ts';
import { readErrorBody } from './errorBody.ts';
import { readPage, readQrCodePage } from './list.ts';
import { readQrCode } from './qrCode.ts';
import { scanId, scanTime } from './scan.ts';
import { describeSecretFields, readSigningSecret } from './secret.ts';

const READERS: [string, (body: unknown) => unknown][] = [
  ['account', readAccount],
  ['page', readPage],
  ['page of codes', readQrCodePage],
  ['code', readQrCode],
  ['secret', readSigningSecret],
  ['secret fields', describeSecretFields],
  ['failure', (body) => readErrorBody(422, body)],
];

const deep = (open: string, close: string) => open.repeat(100_000) + '1' + close.repeat(100_000);

const BODIES: [string, string][] = [
  ['objects nested 100,000 deep', deep('{"data":', '}')],
  ['arrays nested 100,000 deep', deep('[', ']')],
  ['details nested 100,000 deep', `{"code":"c","details":${deep('[', ']')}}`],
  ['rows nested 100,000 deep', `{"data":[{"id":"a","x":${deep('[', ']')}}]}`],
  ['a prototype to inherit from', '{"__proto__":{"id":"qr_1","slug":"a","secret":"s","data":[{"id":"b"}]}}'],
  ['a prototype in a list', '{"data":[{"__proto__":{"id":"qr_1"}}]}'],
  ['names of Object', '{"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":1}'],
  [
    '100,000 keys',
    JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, nth) => [`k${nth}`, {}]))),
  ],
];

/** What a reader gives, or the code of the error that it throws. */
function outcome(read: (body: unknown) => unknown, body: unknown): unknown {
  try {
    return read(body);
  } catch (error) {
    expect(error).toMatchObject({ code: 'unreadable_response' });
    expect((error as Error).message.length).toBeLessThan(8000);
    return 'unreadable_response';
  }
}

describe.each(BODIES)('%s', (_what, json) => {
  it.each(READERS)('harms no reader: %s', (_reader, read) => {
    const body: unknown = JSON.parse(json);
    // Not the clock's time: other processes may be busy as well.
    const before = process.cpuUsage();
    outcome(read, body);
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(500);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

it('what stands in __proto__ is read by no reader as the body', () => {
  const body: unknown = JSON.parse(
    '{"__proto__":{"id":"qr_1","slug":"a","secret":"s","workspaceId":"w","code":"c"}}',
  );
  expect(readQrCode(body)).toBeUndefined();
  expect(readAccount(body).workspace).toBeUndefined();
  expect(readErrorBody(404, body).code).toBe('not_found');
  expect(Object.getPrototypeOf(readAccount(body))).toBe(Object.prototype);
});

it('a row with __proto__ keeps its place and its prototype', () => {
  const page = readPage(JSON.parse('{"data":[{"id":1,"__proto__":{"scannedAt":"2026-01-01T00:00:00Z"}}]}'));
  const [row] = page.rows;
  expect(scanTime(row!)).toBeUndefined();
  expect(scanId(row!)).toBe('1');
  const [code] = readQrCodePage(JSON.parse('{"data":[{"id":1,"__proto__":{"slug":"a"}}]}')).rows;
  expect(Object.getPrototypeOf(code)).toBe(Object.prototype);
});
