import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { QR_CODE_FIELDS } from '@qr-service/core/connector';
import { parseJson } from './capture/json.ts';

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
  for (const [change, undo] of CHANGES) {
    const body = undo(bytes, text, contentLength);
    if (body !== undefined) yield { change, body: typeof body === 'string' ? Buffer.from(body) : body };
  }
  const value = parseJson(text);
  const inner = isObject(value) ? value['body'] : undefined;
  if (typeof inner === 'string')
    yield { body: Buffer.from(inner), change: 'The body was put into another JSON object.' };
  const values = [text, ...(typeof value === 'string' ? [value] : []), JSON.stringify(inner ?? null)];
  for (const one of values) yield* serializations(one);
}

const BOM = '\uFEFF';
const unix = (text: string) => text.replaceAll('\r\n', '\n');
const slice = (bytes: Buffer, ...[start, end]: [number, number?]) => bytes.subarray(start, end);

/** What was done to a body on its way, as a whole sentence, and how to undo it. */
const CHANGES: readonly (readonly [
  change: string,
  undo: (bytes: Buffer, text: string, contentLength?: number) => Buffer | string | undefined,
])[] = [
  ['A line break was added at the end.', (bytes) => (bytes.at(-1) === 10 ? slice(bytes, 0, -1) : undefined)],
  ['A line break was added at the end.', (bytes) => (bytes.at(-2) === 13 ? slice(bytes, 0, -2) : undefined)],
  ['The line break at the end was removed.', (bytes) => Buffer.concat([bytes, Buffer.from('\n')])],
  ['The line break at the end was removed.', (bytes) => Buffer.concat([bytes, Buffer.from('\r\n')])],
  [
    'A byte order mark was added at the start.',
    (bytes, text) => (text.startsWith(BOM) ? slice(bytes, 3) : undefined),
  ],
  ['The byte order mark at the start was removed.', (bytes) => Buffer.concat([Buffer.from(BOM), bytes])],
  ['Whitespace was added at the start or the end.', (_, text) => text.trim()],
  ['Bytes were added after the end of the body.', (bytes, _, length) => slice(bytes, 0, length)],
  ['Line breaks were changed from LF to CRLF.', (_, text) => unix(text)],
  ['Line breaks were changed from CRLF to LF.', (_, text) => unix(text).replaceAll('\n', '\r\n')],
  ['The text was converted from UTF-8 to Latin-1.', (bytes) => bytes.toString('latin1')],
  [
    'The text was read as Latin-1 or Windows-1252 and then encoded as UTF-8.',
    (_, text) => Buffer.from(Array.from(text, windows1252)),
  ],
  [
    'Characters were escaped for HTML.',
    (_, text) =>
      text.replaceAll(/&(#?\w{2,4});/g, (all, name: string) => ENTITIES[name.toLowerCase()] ?? all),
  ],
  ['The body was encoded as a form or a URL.', (_, text) => percentDecoded(text)],
  [
    'The body was encoded as a form or a URL.',
    (_, text) => percentDecoded(text.replace(/^\w{0,30}=/, '').replaceAll('+', ' ')),
  ],
  [
    'The body was encoded as a JSON text once more.',
    (_, text) => {
      const value = parseJson(text);
      return typeof value === 'string' ? value : undefined;
    },
  ],
  [
    'The body was encoded as base64.',
    (_, text) => (/^[\w+/-]+={0,2}\s*$/.test(text) ? Buffer.from(text, 'base64') : undefined),
  ],
  ['The body was compressed.', gunzipped],
];

/** The byte of a character in Windows-1252, which differs from Latin-1 in 32 characters. */
function windows1252(character: string): number {
  const at = WINDOWS_1252.indexOf(character);
  return at === -1 ? (character.codePointAt(0) ?? 0) : 0x80 + at;
}
const WINDOWS_1252 = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 32 }, (_, at) => 0x80 + at),
);

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ quot: '"', '#34': '"', '#x22': '"', lt: '<', gt: '>', amp: '&' },
  ...{ '#39': "'", '#x27': "'", apos: "'", '#x2f': '/', '#x3d': '=' },
};

function percentDecoded(text: string): string | undefined {
  try {
    return text.includes('%') ? decodeURIComponent(text) : undefined;
  } catch {
    return undefined;
  }
}

function gunzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: 10_000_000 });
  } catch {
    return undefined;
  }
}

/** How a library writes JSON: an indent, what it writes for a comma and a colon, and its line break. */
const STYLES: readonly (readonly [indent: string, comma: string, colon: string, lineBreak?: string])[] = [
  ['', ',', ':'],
  ['', ', ', ': '],
  ['', ',', ': '],
  ...['  ', '    ', '\t'].map((indent) => [indent, ',', ':'] as const),
  ['  ', ',', ':', '\r\n'],
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
  if (!isObject(parseJson(text))) return;
  let bytes = 0;
  for (const order of ORDERS) {
    const value: unknown = JSON.parse(text.replace(BOM, ''), (_, one: unknown) =>
      isObject(one) && !Array.isArray(one)
        ? Object.fromEntries(order(Object.keys(one)).map((key) => [key, one[key]]))
        : one,
    );
    for (const [indent, comma, colon, lineBreak = '\n'] of STYLES) {
      const plain = stringify(value, indent)?.replaceAll('\n', lineBreak);
      for (const escape of ESCAPES) {
        const written = plain?.replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) =>
          token === ',' ? comma : token === ':' ? colon : escape(token),
        );
        bytes += written?.length ?? 0;
        if (written === undefined || bytes > MOST_WRITTEN) return;
        const change = 'The JSON was parsed and serialized again.';
        for (const end of ['', '\n']) yield { body: Buffer.from(written + end), change };
      }
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Undefined if it is nested too deeply. */
function stringify(value: unknown, indent: string): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    return undefined;
  }
}
