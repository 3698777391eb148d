import { Buffer } from 'node:buffer';
import { signWebhook, verifyWebhook } from '@qr-service/core/webhook';
import { fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { judgeReplay } from '../src/report/replayReport.ts';
import { diagnoseDelivery } from '../src/webhook/diagnoseDelivery.ts';

const SECRET = 'whsec_0123456789abcdef';
const SIGNED_AT = 1_790_000_000;
const now = () => SIGNED_AT * 1000;

/** Short, as each byte of a body that doesn't match is tried. */
const event = fc
  .record({ id: fc.string({ unit: 'binary', maxLength: 3 }), type: fc.constant('q') })
  .map((value) => JSON.stringify(value));
const sign = (body: string | Uint8Array) => signWebhook({ body, secret: SECRET, timestamp: SIGNED_AT });

type Headers = [name: string, value: string][];

/** As Node.js gives headers to a receiver. */
function joined(headers: Headers): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    values[key] = values[key] === undefined ? value : `${values[key]}, ${value}`;
  }
  return values;
}

function isAccepted(headers: Headers, rawBody: Uint8Array, headerPrefix: string): boolean {
  try {
    verifyWebhook({ rawBody, headers: joined(headers), secret: SECRET, headerPrefix, now });
    return true;
  } catch {
    return false;
  }
}

const diagnose = (headers: Headers, body: Uint8Array, headerPrefix = 'Service') =>
  diagnoseDelivery({ delivery: { headers, body }, secret: SECRET, headerPrefix, now, isLive: true });

/** What may become of the headers. */
const changes: readonly ((headers: Headers) => Headers)[] = [
  (headers) => headers,
  (headers) => headers.map(([name, value]) => [name.toUpperCase(), value]),
  (headers) => headers.map(([name, value]) => [`Http-${name}`, value]),
  (headers) => headers.map(([name, value]) => [name.replaceAll('-', '_'), value]),
  (headers) => headers.map(([name, value]) => [name.replace('Service', 'Acme'), value]),
  (headers) => headers.map(([name, value]) => [name, ` ${value} `]),
  (headers) => headers.map(([name, value]) => [name, `"${value}"`]),
  (headers) => headers.map(([name, value]) => [name, value.toUpperCase()]),
  (headers) => headers.map(([name, value]) => [name, value.replace('v1=', 'V1=')]),
  (headers) => headers.flatMap(([name, value]): Headers => value.split(',').map((part) => [name, part])),
  (headers) => [...headers, ...headers],
  (headers) => headers.slice(1),
  (headers) => headers.slice(0, 1),
  (headers) => headers.map(([name, value]) => [name, value.replace('7', '8')]),
  (headers) => headers.map(([name, value]) => [name, value.replace(/.$/, '0')]),
  (headers) => headers.map(([name, value]) => [name, `${value},v0=00,v1=${'0'.repeat(64)}`]),
];

test('a delivery is called genuine if and only if the connector accepts it', () => {
  const bodyChanges: readonly ((body: string) => string)[] = [(body) => body, (body) => `${body}\n`];
  fc.assert(
    fc.property(
      event,
      fc.constantFrom(...changes),
      fc.constantFrom(...changes),
      fc.constantFrom(...bodyChanges),
      fc.constantFrom('Service', 'Acme'),
      (signed, one, another, change, prefix) => {
        const headers = another(
          one([
            ['X-Service-Signature', sign(signed)],
            ['X-Service-Timestamp', String(SIGNED_AT)],
          ]),
        );
        const body = Buffer.from(change(signed));
        const { verdict } = judgeReplay(diagnose(headers, body, prefix));
        expect(verdict).toBe(isAccepted(headers, body, prefix) ? 'works' : 'fails');
      },
    ),
    { numRuns: runs(100, 500) },
  );
});

/** One byte of JSON's own characters, and what becomes of it. */
const edit = fc.record({
  at: fc.nat({ max: 1000 }),
  kind: fc.constantFrom('changed', 'added', 'removed'),
  byte: fc.integer({ min: 0x20, max: 0x7e }),
});

test('the byte that is named is the byte that was changed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii', minLength: 2, maxLength: 12 }),
      edit,
      (name, { at, kind, byte }) => {
        const signed = Buffer.from(JSON.stringify({ id: '1', type: 'qr.created', data: { name } }));
        const place = at % signed.length;
        const [start, rest] = [
          signed.subarray(0, place),
          signed.subarray(kind === 'added' ? place : place + 1),
        ];
        const body = Buffer.concat([start, ...(kind === 'removed' ? [] : [Uint8Array.of(byte)]), rest]);
        fc.pre(!body.equals(signed));
        // A dot before the body looks like a signature without the dot between time and body.
        fc.pre(body[0] !== '.'.charCodeAt(0));
        const findings = diagnose([['X-Service-Signature', sign(signed)]], body);
        const { value, explanation = '' } = findings.find(({ id }) => id === 'webhooks.signature')!;
        expect(value).toBe('changed body');
        const named = Number(/[Bb]yte (\d+)/.exec(explanation)![1]);
        // The first that differs. In a run of equal bytes, it can't be told which was added or removed.
        let first = 0;
        while (body[first] === signed[first]) first++;
        expect(named).toBe(first);
        expect(
          body.subarray(Math.min(place, named), Math.max(place, named)).every((one) => one === body[place]),
        ).toBe(true);
      },
    ),
    { numRuns: runs(12, 50) },
  );
});
