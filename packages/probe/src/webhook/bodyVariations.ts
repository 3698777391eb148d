import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { QR_CODE_FIELDS } from '@qr-service/core/connector';
import { parseJson } from './readCapture.ts';

/** A body that may have been signed. */
interface BodyVariation {
  body: Uint8Array;
  /** What was done to it on its way, as a whole sentence. */
  change: string;
}

/** Ways in which proxies, frameworks and tools are known to change a body, undone: the simplest first. */
export function* bodyVariations(received: Uint8Array, contentLength?: number): Generator<BodyVariation> {
  const bytes = Buffer.from(received);
  const text = bytes.toString('utf8');
  yield* atTheEnds(bytes, contentLength);
  yield* lineEnds(text);
  yield* charsets(bytes, text);
  yield* wrappings(bytes, text);
  yield* serializations(text);
}

function* atTheEnds(bytes: Buffer, contentLength: number | undefined): Generator<BodyVariation> {
  const utf8 = (text: string) => Buffer.from(text);
  const after = (end: string) => Buffer.concat([bytes, utf8(end)]);
  const latin1 = bytes.toString('latin1');
  for (const end of ['\r\n', '\n'])
    if (latin1.endsWith(end))
      yield { body: bytes.subarray(0, -end.length), change: 'A line break was added at the end.' };
  for (const end of ['\n', '\r\n'])
    yield { body: after(end), change: 'The line break at the end was removed.' };
  const bom = Buffer.from([0xef, 0xbb, 0xbf]);
  yield bytes.subarray(0, 3).equals(bom)
    ? { body: bytes.subarray(3), change: 'A byte order mark was added at the start.' }
    : { body: Buffer.concat([bom, bytes]), change: 'The byte order mark at the start was removed.' };
  const trimmed = latin1.replace(/^[ \t\r\n\0]+/, '').replace(/(?<![ \t\r\n\0])[ \t\r\n\0]+$/, '');
  yield { body: Buffer.from(trimmed, 'latin1'), change: 'Whitespace was added at the start or the end.' };
  if (contentLength !== undefined && contentLength < bytes.length)
    yield { body: bytes.subarray(0, contentLength), change: 'Bytes were added after the end of the body.' };
  const half = bytes.subarray(0, bytes.length / 2);
  if (half.equals(bytes.subarray(bytes.length / 2))) yield { body: half, change: 'The body was repeated.' };
}

function* lineEnds(text: string): Generator<BodyVariation> {
  const unix = text.replaceAll('\r\n', '\n');
  yield { body: Buffer.from(unix), change: 'Line breaks were changed from LF to CRLF.' };
  yield {
    body: Buffer.from(unix.replaceAll('\n', '\r\n')),
    change: 'Line breaks were changed from CRLF to LF.',
  };
}

function* charsets(bytes: Buffer, text: string): Generator<BodyVariation> {
  yield {
    body: Buffer.from(bytes.toString('latin1')),
    change: 'The text was converted from UTF-8 to Latin-1.',
  };
  yield {
    body: Buffer.from(text, 'latin1'),
    change: 'The text was read as Latin-1 and then encoded as UTF-8.',
  };
  const windows = Array.from(
    text,
    (character) => WINDOWS_1252.get(character) ?? character.codePointAt(0) ?? 0,
  );
  if (windows.every((code) => code <= 0xff))
    yield {
      body: Buffer.from(windows),
      change: 'The text was read as Windows-1252 and then encoded as UTF-8.',
    };
  yield {
    body: Buffer.from(bytes.toString('utf16le')),
    change: 'The text was converted from UTF-8 to UTF-16.',
  };
  yield {
    body: Buffer.from(text.replace(/^\uFEFF/, ''), 'utf16le'),
    change: 'The text was converted from UTF-16.',
  };
  for (const form of ['NFC', 'NFD'] as const)
    yield {
      body: Buffer.from(text.normalize(form)),
      change: `Accented letters were normalized; ${form} was signed.`,
    };
}

/** Codes of the characters that Windows-1252 has and Latin-1 doesn't. */
const WINDOWS_1252 = new Map(
  Array.from({ length: 32 }, (_, at) => [
    new TextDecoder('windows-1252').decode(Uint8Array.of(0x80 + at)),
    0x80 + at,
  ]),
);

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#34;': '"',
  '&#x22;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&#39;': "'",
  '&#x27;': "'",
  '&apos;': "'",
  '&#x2F;': '/',
  '&#x3D;': '=',
  '&amp;': '&',
};

function* wrappings(bytes: Buffer, text: string): Generator<BodyVariation> {
  const unescaped = text.replaceAll(/&[#\w]{2,5};/g, (entity) => ENTITIES[entity] ?? entity);
  yield { body: Buffer.from(unescaped), change: 'Characters were escaped for HTML.' };
  const escaped = text.replaceAll(
    /[&<>]/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '',
  );
  yield { body: Buffer.from(escaped), change: 'Characters that were escaped for HTML were unescaped.' };
  const form = text.replace(/^\w{0,30}=/, '').replaceAll('+', ' ');
  for (const encoded of [text, form]) {
    const decoded = percentDecoded(encoded);
    if (decoded !== undefined)
      yield { body: Buffer.from(decoded), change: 'The body was encoded as a form or a URL.' };
  }
  const value = parseJson(text);
  const inner = typeof value === 'object' && value !== null ? (value as { body?: unknown }).body : undefined;
  if (typeof value === 'string') {
    yield { body: Buffer.from(value), change: 'The body was encoded as a JSON text once more.' };
    yield* serializations(value);
  }
  if (typeof inner === 'string')
    yield { body: Buffer.from(inner), change: 'The body was put into another JSON object.' };
  if (typeof inner === 'object') yield* serializations(JSON.stringify(inner));
  if (/^[\w+/-]+={0,2}\s*$/.test(text))
    yield { body: Buffer.from(text, 'base64'), change: 'The body was encoded as base64.' };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const plain = gunzipped(bytes);
    if (plain !== undefined) yield { body: plain, change: 'The body was compressed.' };
  }
}

function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Longest body that is decompressed. */
const LONGEST = 10_000_000;

function gunzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: LONGEST });
  } catch {
    return undefined;
  }
}

/** How a library writes JSON. */
interface Style {
  indent: string;
  lineBreak: string;
  comma: string;
  colon: string;
}

const COMPACT: Style = { indent: '', lineBreak: '', comma: ',', colon: ':' };
const STYLES: readonly Style[] = [
  COMPACT,
  { ...COMPACT, comma: ', ', colon: ': ' },
  { ...COMPACT, colon: ': ' },
  ...['  ', '    ', '\t'].map((indent) => ({ ...COMPACT, indent, lineBreak: '\n', colon: ': ' })),
  { ...COMPACT, indent: '  ', lineBreak: '\r\n', colon: ': ' },
];

const hex = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const upperHex = (character: string) => `\\u${hex(character).slice(2).toUpperCase()}`;
const lowerAscii = (text: string) => text.replaceAll(/[^\0-~]/g, hex);
const upperAscii = (text: string) => text.replaceAll(/[^\0-~]/g, upperHex);
const slashes = (text: string) => text.replaceAll('/', '\\/');
const forHtml = (text: string) => text.replaceAll(/[<>&\u2028\u2029]/g, hex);

/** Ways in which libraries escape texts: JavaScript, Python, Ruby, PHP, Go, .NET. */
const ESCAPES: readonly ((text: string) => string)[] = [
  (text) => text,
  lowerAscii,
  upperAscii,
  slashes,
  (text) => slashes(lowerAscii(text)),
  forHtml,
  (text) => forHtml(lowerAscii(text)),
  (text) => upperAscii(text.replaceAll(/[<>&'+`]|\\"/g, (found) => upperHex(found.at(-1) ?? ''))),
];

/** The order of fields in the API text ("Envelope"). */
const DOCUMENTED = [
  ...['id', 'type', 'workspaceId', 'occurredAt', 'data', 'qrId', 'source', 'qr'],
  ...QR_CODE_FIELDS.map(({ key }) => key),
];
const rankOf = (key: string) => (DOCUMENTED.includes(key) ? DOCUMENTED.indexOf(key) : DOCUMENTED.length);

/** Orders of the keys of an object. */
const ORDERS: readonly ((keys: string[]) => string[])[] = [
  (keys) => keys,
  (keys) => [...keys].sort((a, b) => rankOf(a) - rankOf(b)),
  (keys) => [...keys].sort(),
];

/** Most bytes that are written: some seconds of work. Deliveries are so short that all forms fit. */
const MOST_WRITTEN = 30_000_000;

/** Every form in which a library may have written the same JSON. */
function* serializations(text: string): Generator<BodyVariation> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return;
  let bytes = 0;
  for (const order of ORDERS)
    for (const style of STYLES)
      for (const escape of ESCAPES) {
        const written = write(value, style, escape, order);
        bytes += written?.length ?? 0;
        if (written === undefined || bytes > MOST_WRITTEN) return;
        const change = 'The JSON was parsed and serialized again.';
        for (const end of ['', '\n']) yield { body: Buffer.from(written + end), change };
      }
}

/** Levels of nesting that are written. */
const DEEPEST = 200;

function write(
  value: unknown,
  style: Style,
  escape: (text: string) => string,
  order: (keys: string[]) => string[],
  depth = 0,
): string | undefined {
  if (depth > DEEPEST) return undefined;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? escape(JSON.stringify(value)) : JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const keys = Array.isArray(value) ? [...value.keys()] : order(Object.keys(value));
  if (keys.length === 0) return open + close;
  const entries: string[] = [];
  for (const key of keys) {
    const written = write((value as Record<string | number, unknown>)[key], style, escape, order, depth + 1);
    if (written === undefined) return undefined;
    entries.push(typeof key === 'number' ? written : escape(JSON.stringify(key)) + style.colon + written);
  }
  const lineAt = (level: number) => style.lineBreak + style.indent.repeat(level);
  return open + lineAt(depth + 1) + entries.join(style.comma + lineAt(depth + 1)) + lineAt(depth) + close;
}
