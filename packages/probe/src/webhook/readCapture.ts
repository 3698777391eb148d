import { Buffer } from 'node:buffer';
import type { Delivery } from './Delivery.ts';

/** A captured delivery can't be read. The message is a whole sentence. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';
}

const EXPECTED =
  'Expected JSON with "headers" and "body", or the request as text: headers, an empty line, the body.';

/**
 * Reads a captured delivery, as tunnels and request bins export it: JSON with `headers` and `body` (a text, or base64 with
 * `isBase64Encoded`), or an HTTP request as text.
 * @throws CaptureError
 */
export function readCapture(file: Uint8Array): Delivery {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length === 0) throw new CaptureError(`The file is empty. ${EXPECTED}`);
  const json = parseJson(bytes.toString('utf8'));
  if (json === undefined) return readRequest(bytes);
  return fromJson(json);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** Tools put the request into one of these. */
const WRAPPERS = ['request', 'event', 'json', 'data'];

function fromJson(json: unknown, depth = 0): Delivery {
  const capture: unknown = Array.isArray(json) ? json[0] : json;
  if (typeof capture !== 'object' || capture === null)
    throw new CaptureError(`It has no headers. ${EXPECTED}`);
  const fields = new Map(
    Object.entries(capture).map(([name, value]) => [name.toLowerCase(), value as unknown]),
  );
  if (!fields.has('headers')) {
    const inner = WRAPPERS.map((name) => fields.get(name)).find((value) => typeof value === 'object');
    if (inner === undefined || depth > 2) throw new CaptureError(`It has no headers. ${EXPECTED}`);
    return fromJson(inner, depth + 1);
  }
  const headers = readHeaders(fields.get('headers'));
  const body = ['body', 'rawbody', 'content', 'postdata'].map((name) => fields.get(name)).find(isGiven);
  if (body === undefined) throw new CaptureError(`It has no body. ${EXPECTED}`);
  const isBase64 = fields.get('isbase64encoded') === true || fields.get('encoding') === 'base64';
  if (typeof body === 'string') return { headers, body: decode(body, isBase64) };
  const text: unknown = (body as { text?: unknown }).text;
  // As in HAR files.
  if (typeof text === 'string' && 'mimeType' in (body as object))
    return { headers, body: decode(text, isBase64) };
  return {
    headers,
    body: Buffer.from(JSON.stringify(body)),
    rebuilt: 'The file has the body as JSON values instead of text, so its original bytes are unknown.',
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function decode(body: string, isBase64: boolean): Uint8Array {
  if (isBase64 && !/^[\w+/=\s-]*$/.test(body)) throw new CaptureError("Its body isn't valid base64.");
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
  const { name, key, value } = Object(entry) as { name?: unknown; key?: unknown; value?: unknown };
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
  return { headers, body: (isChunked ? readChunks(body) : undefined) ?? body };
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
