import { anyCharacter, fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { isWebhookVerificationError } from '../errors/guards.ts';
import { sampleEvent } from './event.ts';
import { signWebhook } from './signature.ts';
import { verifyWebhook, type VerifyInput } from './verifyWebhook.ts';

const NOW = 1_760_000_000;
const SECRET = 'whsec_correct_horse_battery';
const EVENT = sampleEvent('qr.published');
const LONGEST = 64 * 1024;

function outcome(input: Partial<VerifyInput>): string {
  try {
    verifyWebhook({ rawBody: '', headers: {}, secret: SECRET, now: () => NOW * 1000, ...input });
  } catch (error) {
    if (isWebhookVerificationError(error)) return error.code;
    throw error;
  }
  return 'accepted';
}

const sign = (body: string | Uint8Array, secret = SECRET) => signWebhook({ body, secret, timestamp: NOW });

function flipBit(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const bit = at % (bytes.length * 8);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
}

const event = fc
  .record({ id: fc.string({ minLength: 1 }), type: fc.string({ minLength: 1 }), data: fc.object() })
  .map((body) => JSON.stringify(body));
const position = fc.nat({ max: 1 << 24 });
/** Almost valid headers, as random letters would never pass the first check. */
const headerPart = fc.oneof(
  fc.constantFrom('t=', 'v1=', 'v0=', ',', '=', ' ', '\t', '.', '-', '0', String(NOW), sign('').slice(16)),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
);
const shortHeader = fc.array(headerPart, { maxLength: 30 }).map((parts) => parts.join(''));
const randomHeader = fc.string({ unit: anyCharacter, maxLength: 2000 });
const length = fc.oneof(fc.constant(0), fc.nat({ max: LONGEST }));

describe('a delivery signed by signWebhook', () => {
  it('is accepted with any event, secret and tolerated age, as text and as bytes', () => {
    fc.assert(
      fc.property(
        event,
        fc.array(fc.string({ minLength: 1, unit: anyCharacter }), { minLength: 1, maxLength: 4 }),
        position,
        fc.integer({ min: -300, max: 300 }),
        (body, secret, which, age) => {
          const headers = { 'x-service-signature': sign(body, secret[which % secret.length]) };
          const input = { headers, secret, now: () => (NOW + age) * 1000 };
          expect(outcome({ ...input, rawBody: Buffer.from(body) })).toBe('accepted');
          const envelope = { workspaceId: '', occurredAt: '', ...(JSON.parse(body) as object) };
          expect(verifyWebhook({ ...input, rawBody: body }).event).toEqual(envelope);
        },
      ),
    );
  });

  it('is refused only as an invalid body if its bytes are not an event', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4096 }), (rawBody) => {
        const headers = { 'x-service-signature': sign(rawBody) };
        expect(outcome({ rawBody, headers })).toBe('invalid_body');
      }),
    );
  });

  it('is refused when one bit of its body or of the secret is changed', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 2048 });
    const body = event.map((text) => Buffer.from(text));
    fc.assert(
      fc.property(fc.oneof(body, bytes), position, (rawBody, at) => {
        const headers = { 'x-service-signature': sign(rawBody) };
        expect(outcome({ rawBody: flipBit(rawBody, at), headers })).toBe('signature_mismatch');
        const secret = Buffer.from(flipBit(Buffer.from(SECRET), at)).toString('latin1');
        expect(outcome({ rawBody, headers, secret })).toBe('signature_mismatch');
      }),
    );
  });

  it('is refused when one bit of a character of its body is changed', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), position, fc.nat({ max: 15 }), (note, at, bit) => {
        const body = JSON.stringify({ ...EVENT, note: `\u{fffd}${note}` });
        const index = at % body.length;
        const letter = body.charCodeAt(index) ^ (1 << bit);
        const rawBody = body.slice(0, index) + String.fromCharCode(letter) + body.slice(index + 1);
        const headers = { 'x-service-signature': sign(body) };
        expect(outcome({ rawBody, headers })).not.toBe('accepted');
      }),
      { numRuns: runs(200, 1000) },
    );
  });

  it('is refused when any bit of its signature header is changed', () => {
    fc.assert(
      fc.property(event, (rawBody) => {
        const signature = Buffer.from(sign(rawBody), 'latin1');
        const changes = Array.from({ length: signature.length * 8 }, (_, bit) => flipBit(signature, bit));
        const accepted = changes.filter((changed) => {
          const headers = { 'x-service-signature': Buffer.from(changed).toString('latin1') };
          return !['malformed_header', 'signature_mismatch'].includes(outcome({ rawBody, headers }));
        });
        expect(accepted).toEqual([]);
      }),
      { numRuns: runs(2, 50) },
    );
  });
});

describe('a hostile delivery throws nothing but WebhookVerificationError', () => {
  const names = ['X-Service-Signature', 'x-service-timestamp', 'Http-X-Service-Delivery'] as const;

  it('with headers of any name and value of up to 64 KiB', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.oneof(shortHeader, randomHeader),
        length,
        (name, text, length) => {
          const value = text.padEnd(length, text || ' ');
          const good = { 'X-Service-Signature': sign(JSON.stringify(EVENT)) };
          const result = outcome({ rawBody: JSON.stringify(EVENT), headers: { ...good, [name]: value } });
          if (name === 'X-Service-Signature' && value.length > 1024) expect(result).toBe('malformed_header');
          outcome({ headers: { [`http-${value}`]: 'x', [`X-Service-${value}`]: 'x', [value]: 'x' } });
        },
      ),
      { numRuns: runs(200, 1000) },
    );
  });

  it('of any types', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    const nearly = (good: unknown) => fc.oneof(fc.constant(good), anything);
    const noFunction = anything.filter((value) => typeof value !== 'function');
    const input = fc.record({
      rawBody: nearly(JSON.stringify(EVENT)),
      headers: fc.oneof(
        fc.dictionary(fc.constantFrom(...names), nearly(sign('x'))),
        fc.constantFrom(null, 'x', 7),
      ),
      secret: nearly(SECRET),
      toleranceSeconds: nearly(300),
      now: fc.oneof(fc.constant(Date.now), fc.func(anything), noFunction),
    });
    fc.assert(
      fc.property(input, (hostile) => void outcome(hostile as Partial<VerifyInput>)),
      { numRuns: runs(200, 1000) },
    );
  });
});
