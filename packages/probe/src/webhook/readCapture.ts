import { Buffer } from 'node:buffer';
import { contentLength, type Delivery } from './Delivery.ts';

/** A captured delivery can't be read. The message is a whole sentence. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';
}

const EXPECTED =
  'Expected JSON with "headers" and "body", or the request as text: headers, an empty line, the body.';

/**
 * Reads a captured delivery, as tunnels and request bins export it: JSON with `headers` and `body` (a text, or base64 with
 * `isBase64Encoded`), or an HTTP request as text. From a list of requests it takes the first that has a signature.
 * @throws CaptureError
 */
export function readCapture(file: Uint8Array): Delivery {
  const bytes = asUtf8(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  if (bytes.length === 0) throw new CaptureError(`The file is empty. ${EXPECTED}`);
  const json = parseJson(bytes.toString('utf8'));
  if (json === undefined) return readRequest(bytes);
  return fromJson(json);
}

/** PowerShell writes what a command prints in UTF-16. */
function asUtf8(bytes: Buffer): Buffer {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? Buffer.from(bytes.subarray(2).toString('utf16le')) : bytes;
}

/** JSON with or without a byte order mark; undefined if it isn't valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** A request in JSON, as a tool wrote it. Names are in lower case and without `_` and `-`. */
interface Capture {
  headers: unknown;
  fields: ReadonlyMap<string, unknown>;
}

/** Tools put requests into these: ngrok, webhook.site, HTTP archives, n8n, Pipedream. */
const WRAPPERS = ['request', 'requests', 'log', 'entries', 'event', 'json', 'data', 'trigger'];
const DEEPEST = 5;
const SIGNATURE_NAME = /^(?:http[-_])?x[-_].{1,60}[-_]signature(?:[-_]v0)?$/i;
const SIGNATURE_KEY = /"(?:http[-_])?x[-_][^"]{1,60}[-_]signature(?:[-_]v0)?"/i;

function* findCaptures(json: unknown, depth = 0): Generator<Capture> {
  if (typeof json !== 'object' || json === null || depth > DEEPEST) return;
  if (Array.isArray(json)) {
    for (const entry of json as unknown[]) yield* findCaptures(entry, depth + 1);
    return;
  }
  const fields = new Map(
    Object.entries(json).map(([name, value]) => [
      name.toLowerCase().replaceAll(/[_-]/g, ''),
      value as unknown,
    ]),
  );
  // Amazon's `headers` have only one value for each name.
  const headers = ['multivalueheaders', 'headers'].map((name) => fields.get(name)).find(isGiven);
  if (headers !== undefined) yield { headers, fields };
  // As smee.io sends it: headers next to the body.
  else if (Object.keys(json).some((name) => SIGNATURE_NAME.test(name)))
    yield { headers: Object.entries(json).filter(([, value]) => typeof value === 'string'), fields };
  else
    for (const name of WRAPPERS)
      for (const capture of findCaptures(fields.get(name), depth + 1)) {
        // n8n keeps a raw body next to the JSON.
        const binary = name === 'json' ? fields.get('binary') : undefined;
        yield binary === undefined
          ? capture
          : { ...capture, fields: new Map([...capture.fields, ['binary', binary]]) };
      }
}

function fromJson(json: unknown): Delivery {
  const captures = [...findCaptures(json)];
  const signed = captures.filter(({ headers }) => SIGNATURE_KEY.test(JSON.stringify(headers)));
  const [capture] = [...signed, ...captures];
  if (capture === undefined) throw new CaptureError(`It has no headers. ${EXPECTED}`);
  const delivery = readFields(capture);
  if (signed.length < 2) return delivery;
  return { ...delivery, others: signed.length - 1 };
}

function readFields({ headers: given, fields }: Capture): Delivery {
  const raw = readRaw(fields.get('raw') ?? fields.get('rawrequest'));
  if (raw !== undefined) return raw;
  const headers = readHeaders(given);
  const binary = readBinary(fields.get('binary'));
  if (binary !== undefined) return { headers, body: binary };
  const bodies = ['rawbody', 'bodyraw', 'body', 'content', 'postdata', 'data'].map((name) =>
    fields.get(name),
  );
  // Text is better than values, which some tools have, too.
  const body =
    bodies.find((value) => typeof value === 'string' && value !== '') ??
    bodies.find((value) => isGiven(value));
  if (body === undefined) throw new CaptureError(`It has no body. ${EXPECTED}`);
  const isBase64 = fields.get('isbase64encoded') === true || fields.get('encoding') === 'base64';
  if (typeof body === 'string') return { headers, body: decode(body, isBase64) };
  const { text, mimeType, encoding, type, data } = body as Record<string, unknown>;
  // As in HTTP archives.
  if (typeof text === 'string' && mimeType !== undefined)
    return { headers, body: decode(text, isBase64 || encoding === 'base64') };
  // A Buffer of Node.js.
  if (type === 'Buffer' && Array.isArray(data)) return { headers, body: Uint8Array.from(data as number[]) };
  return {
    headers,
    body: Buffer.from(JSON.stringify(body)),
    rebuilt: 'The file has the body as JSON values instead of text, so its original bytes are unknown.',
  };
}

/** The whole request, which ngrok encodes in base64; undefined if it is something else. */
function readRaw(raw: unknown): Delivery | undefined {
  if (typeof raw !== 'string') return undefined;
  const bytes = BASE64.test(raw) ? Buffer.from(raw, 'base64') : Buffer.from(raw);
  if (!REQUEST_LINE.test(bytes.toString('latin1').split(/\r?\n/, 1)[0] ?? '')) return undefined;
  return readRequest(bytes);
}

/** The first of an n8n item's files. */
function readBinary(binary: unknown): Uint8Array | undefined {
  const [file] = Object.values(Object(binary) as Record<string, unknown>);
  const { data, mimeType } = Object(file) as { data?: unknown; mimeType?: unknown };
  // A colon is in references to n8n's own storage.
  if (typeof data !== 'string' || mimeType === undefined || !BASE64.test(data)) return undefined;
  return Buffer.from(data, 'base64');
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const BASE64 = /^[\w+/=\s-]*$/;

function decode(body: string, isBase64: boolean): Uint8Array {
  if (isBase64 && !BASE64.test(body)) throw new CaptureError("Its body isn't valid base64.");
  return Buffer.from(body, isBase64 ? 'base64' : 'utf8');
}

/** An object of texts or lists of texts, or a list of pairs or of `{ name, value }`. */
function readHeaders(headers: unknown): [string, string][] {
  const entries = Array.isArray(headers) ? headers.map(readPair) : Object.entries(Object(headers) as object);
  return entries.flatMap(([name, value]: readonly unknown[]) =>
    [value].flat().map((single): [string, string] => {
      if (typeof name !== 'string' || !['string', 'number'].includes(typeof single))
        throw new CaptureError('Its headers must be texts.');
      return [name, String(single)];
    }),
  );
}

function readPair(entry: unknown): readonly unknown[] {
  if (Array.isArray(entry)) return entry;
  const { name, key, value } = Object.fromEntries(
    Object.entries(Object(entry) as object).map(([field, content]) => [
      field.toLowerCase(),
      content as unknown,
    ]),
  );
  return [name ?? key, value];
}

const REQUEST_LINE = /^[A-Z]+ \S+( HTTP\/\d(\.\d)?)?$/;
const HEADER = /^([^\s:]+)[ \t]*:(.*)$/;

/** Reads an HTTP request as text: an optional request line, headers, an empty line, the body. */
function readRequest(bytes: Buffer): Delivery {
  const end = /\r?\n\r?\n/.exec(bytes.toString('latin1'));
  const head = bytes.toString('utf8', 0, end?.index ?? bytes.length);
  const lines = head.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (REQUEST_LINE.test(lines[0]?.trim() ?? '')) lines.shift();
  const headers: [string, string][] = [];
  for (const line of lines) {
    // HTTP/2 has its request line in such headers.
    if (line.startsWith(':')) continue;
    const last = headers.at(-1);
    const [, name = '', value = ''] = HEADER.exec(line) ?? [];
    if (/^[ \t]/.test(line) && last !== undefined) last[1] += `\n${line.trim()}`;
    else if (name !== '') headers.push([name, value.trim()]);
    else throw new CaptureError(`It is neither JSON nor a request as text. ${EXPECTED}`);
  }
  if (end === null) throw new CaptureError(`It has no empty line between headers and body. ${EXPECTED}`);
  const body = bytes.subarray(end.index + end[0].length);
  const isChunked = headers.some(
    ([name, value]) => /^transfer-encoding$/i.test(name) && /chunked/i.test(value),
  );
  return { headers, body: (isChunked ? readChunks(body) : undefined) ?? withoutLastLine(body, { headers }) };
}

/** Editors end a file with a line break, which is not in the body. */
function withoutLastLine(body: Buffer, delivery: Pick<Delivery, 'headers'>): Buffer {
  const length = contentLength(delivery) ?? body.length;
  return /^[\r\n]+$/.test(body.toString('latin1', length)) ? body.subarray(0, length) : body;
}

/** The body of a chunked request; undefined if the tool has already put the chunks together. */
function readChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\n', at);
    const size = /^[\da-f]{1,7}(;.*)?\r?$/i.exec(bytes.toString('latin1', at, Math.max(lineEnd, at)))?.[0];
    if (size === undefined) return undefined;
    const length = Number.parseInt(size, 16);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(lineEnd + 1, lineEnd + 1 + length));
    const next = bytes.indexOf('\n', lineEnd + 1 + length);
    if (next === -1) return undefined;
    at = next + 1;
  }
}
