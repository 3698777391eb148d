import { Buffer } from 'node:buffer';
import { contentLength } from '../Delivery.ts';
import { CaptureError, type Capture } from './Capture.ts';

/** The first line of a request. */
export const REQUEST_LINE = /^[A-Z]+ (?:\/|https?:)\S*(?: HTTP\/\d(?:\.\d)?)?[ \t]*(?:\r?\n|$)/;
/** Lines of headers, one of which is known: any text may have a colon. */
export const HEADERS =
  /^(?=:?[^\s:]+[ \t]*:)(?:.+\n)*?(?:host|user-agent|accept|content-(?:type|length)|(?:http-)?x-[^\s:]+|[^\s:]*signature[^\s:]*)[ \t]*:/i;
const HEADER = /^([^\s:]+)[ \t]*:(.*)$/;
/** Reads an HTTP request as text: an optional request line, headers, an empty line, the body. */
export function readRequest(bytes: Buffer): Capture {
  const start = REQUEST_LINE.exec(bytes.toString('latin1'))?.[0].length ?? 0;
  const end = /\r?\n\r?\n/.exec(bytes.toString('latin1'));
  const headers = readHeaderLines(bytes.toString('utf8', start, end?.index).split(/\r?\n/));
  if (end === null) throw new CaptureError('It has no empty line between headers and body.');
  const body = bytes.subarray(end.index + end[0].length);
  const isChunked = headers.some(
    ([name, value]) => /^transfer-encoding$/i.test(name) && /chunked/i.test(value),
  );
  return { headers, body: (isChunked ? readChunks(body) : undefined) ?? withoutLastLine(body, { headers }) };
}

/** Reads lines of headers, which may be folded. */
export function readHeaderLines(lines: readonly string[]): [string, string][] {
  const headers: [string, string][] = [];
  for (const line of lines) {
    // HTTP/2 has its request line in such headers.
    if (line.startsWith(':')) continue;
    const last = headers.at(-1);
    const [, name = '', value = ''] = HEADER.exec(line) ?? [];
    if (/^[ \t]/.test(line) && last !== undefined) last[1] += `\n${line.trim()}`;
    else if (name !== '') headers.push([name, value.trim()]);
    else
      throw new CaptureError(`It has a line among its headers that isn't one: number ${headers.length + 1}.`);
  }
  return headers;
}

/** Editors end a file with a line break, which is not in the body. */
function withoutLastLine(body: Buffer, delivery: Pick<Capture, 'headers'>): Buffer {
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
