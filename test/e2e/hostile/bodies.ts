import { deflateSync, gzipSync, brotliCompressSync } from 'node:zlib';
import fc from 'fast-check';
import type { RawHeader } from './rawRequest.ts';

/** A hostile body with its headers. */
interface HostileBody {
  /** Name in the summary of responses. */
  name: string;
  headers: readonly RawHeader[];
  bytes: Uint8Array;
}

const MB = 1024 * 1024;
const DEEP = 100_000;
const type = (value: string): RawHeader => ['Content-Type', value];
const JSON_TYPE = type('application/json');
const ZEROS = new Uint8Array(64 * MB);

/** Created on first use and cached. */
const BOMBS = {
  gzip: lazy(() => gzipSync(ZEROS)),
  deflate: lazy(() => deflateSync(ZEROS)),
  br: lazy(() => brotliCompressSync(ZEROS)),
};

const json = (name: string, text: string): HostileBody => ({
  name,
  headers: [JSON_TYPE],
  bytes: Buffer.from(text),
});

/** Property names with a special meaning for objects. */
export const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  '__defineGetter__',
] as const;

const binary = fc
  .uint8Array({ maxLength: 2000 })
  .map((bytes): HostileBody => ({ name: 'binary', headers: [JSON_TYPE], bytes }));

const anyJson = fc.json().map((text) => json('any JSON', text));

const brokenJson = fc
  .tuple(fc.json(), fc.nat())
  .map(([text, at]) => json('JSON cut short', text.slice(0, at % (text.length + 1))));

const brokenUtf8 = fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes): HostileBody => {
  const broken = Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from([0xc0, 0xff]), Buffer.from('"}')]);
  return { name: 'invalid UTF-8', headers: [JSON_TYPE], bytes: broken };
});

const prototypes = fc
  .tuple(fc.constantFrom(...PROTOTYPE_NAMES), fc.constantFrom(...PROTOTYPE_NAMES))
  .map(([outer, inner]) =>
    json('prototype names', `{"${outer}":{"${inner}":{"polluted":true}},"${inner}":1}`),
  );

const deep = fc
  .constantFrom(
    '['.repeat(DEEP) + ']'.repeat(DEEP),
    '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP),
    '['.repeat(DEEP),
    `{"type":"qr.created","data":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
  )
  .map((text) => json('JSON of 100,000 levels', text));

const large = fc.constantFrom(10, 12, 15, 17, 20).map((size): HostileBody => ({
  name: size > 16 ? 'over 16 MB' : 'over 10 MB',
  headers: [type('application/octet-stream')],
  bytes: ZEROS.subarray(0, size * MB),
}));

const encoding = fc.constantFrom('gzip', 'deflate', 'br');

const bomb = encoding.map((name): HostileBody => ({
  name: `${name} bomb`,
  headers: [JSON_TYPE, ['Content-Encoding', name]],
  bytes: BOMBS[name](),
}));

const brokenStream = fc
  .tuple(encoding, fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.boolean())
  .map(([name, noise, isCut]): HostileBody => {
    const whole = gzipSync(noise);
    return {
      name: `broken ${name}`,
      headers: [JSON_TYPE, ['Content-Encoding', name]],
      bytes: isCut ? whole.subarray(0, whole.length >> 1) : noise,
    };
  });

/** A bomb with a corrupt part in the middle. */
const brokenBomb = fc.nat(50_000).map((at): HostileBody => {
  const bytes = Buffer.from(BOMBS.gzip());
  bytes.fill(0xff, at + 5000, at + 6000);
  return { name: 'broken gzip bomb', headers: [JSON_TYPE, ['Content-Encoding', 'gzip']], bytes };
});

const otherType = fc
  .tuple(
    fc.constantFrom(
      'text/plain',
      'text/plain; charset=nonsense',
      'application/json; charset=utf-7',
      'application/json; charset=%00; charset="',
      'application/x-www-form-urlencoded',
      'application/xml',
      'image/svg+xml',
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary=x',
      'multipart/mixed; boundary=x',
      'constructor',
      '__proto__; __proto__=x',
      ';;;=;',
      '',
    ),
    fc.constantFrom(
      '',
      'a=1&a=2&__proto__[x]=1&constructor[prototype][y]=2',
      `${'a[b]'.repeat(2000)}=1`,
      '<a>'.repeat(5000),
      '<__proto__><polluted>1</polluted></__proto__>',
      '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&d;&d;&d;&d;</a>',
      '--x\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n1\r\n--x--\r\n',
      '--x\r\nContent-Disposition: form-data; name="f"; filename="../../f"\r\n\r\n1\r\n--x--\r\n',
      '--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nnever ended',
      '--x\r\n\r\n',
    ),
  )
  .map(([value, text]): HostileBody => ({
    name: /^multipart\/form-data/.test(value)
      ? 'multipart'
      : /xml/.test(value)
        ? 'XML'
        : 'another content type',
    headers: [type(value)],
    bytes: Buffer.from(text),
  }));

const disposition = fc
  .constantFrom("attachment; filename*='", "inline; filename*=a'b'c", 'filename=%E0%A4%A', ';', '=')
  .map((value): HostileBody => ({
    name: 'content disposition',
    headers: [JSON_TYPE, ['Content-Disposition', value]],
    bytes: Buffer.from('{}'),
  }));

/** Hostile bodies. Large ones and bombs are rare, as each costs the server as much as hundreds of others. */
export const HOSTILE_BODIES: fc.Arbitrary<HostileBody> = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.constant<HostileBody>({ name: 'empty', headers: [JSON_TYPE], bytes: Buffer.alloc(0) }),
  },
  { weight: 120, arbitrary: binary },
  { weight: 120, arbitrary: anyJson },
  { weight: 80, arbitrary: brokenJson },
  { weight: 80, arbitrary: brokenUtf8 },
  { weight: 100, arbitrary: prototypes },
  { weight: 30, arbitrary: deep },
  { weight: 4, arbitrary: large },
  { weight: 4, arbitrary: bomb },
  { weight: 4, arbitrary: brokenBomb },
  { weight: 80, arbitrary: brokenStream },
  { weight: 200, arbitrary: otherType },
  { weight: 40, arbitrary: disposition },
);

function lazy<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= create());
}
