import { Buffer } from 'node:buffer';
import type { Delivery } from './Receiver.ts';

/** A file that isn't a captured delivery. The message says what is wrong in whole sentences. */
export class CaptureError extends Error {}

type Json = Readonly<Record<string, unknown>>;

const EXPECTED =
  'Expected JSON with "headers" and "body", or the request as text: headers, an empty line, the body.';
const REQUEST_LINE = /^[A-Z]+ \S+(?: HTTP\/\d(?:\.\d)?)?$/;
const HEADER = /^([^\s:]+)[ \t]*:(.*)$/;

/** Reads a captured delivery: JSON, or the HTTP request as text. @throws CaptureError */
export function readCapture(file: Uint8Array): Delivery {
  const bytes = Buffer.from(file);
  if (bytes.length === 0) throw new CaptureError(`The file is empty. ${EXPECTED}`);
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return readRequest(bytes);
  }
  return readJson(json);
}

function readJson(json: unknown): Delivery {
  const { headers, postData, ...request } = requestIn(json);
  if (typeof headers !== 'object' || headers === null)
    throw new CaptureError(`The JSON has no "headers". ${EXPECTED}`);
  const { text, encoding } = Object(postData) as Json;
  const body = request['body'] ?? request['content'] ?? text;
  if (body === undefined || body === null) throw new CaptureError(`The JSON has no "body". ${EXPECTED}`);
  // A HAR lists objects.
  const named = Array.isArray(headers)
    ? headers.map(Object).map(({ name, value }: Json) => [name, value])
    : Object.entries(headers);
  const pairs = named.flatMap(([name, value]) =>
    [value].flat().map((single): [string, string] => [String(name), String(single)]),
  );
  const isBase64 = request['isBase64Encoded'] === true || encoding === 'base64';
  if (typeof body === 'string')
    return { headers: pairs, body: Buffer.from(body, isBase64 ? 'base64' : 'utf8') };
  return { headers: pairs, body: Buffer.from(JSON.stringify(body)), isRebuilt: true };
}

/** The one request in what tools export: n8n's editor a list of items, webhook.site `data`, others a HAR. */
function requestIn(json: unknown): Json {
  if (Array.isArray(json) && json.length > 1)
    throw new CaptureError(`The JSON has ${json.length} requests. Keep one of them.`);
  const found = Object(json) as Json;
  const { headers, 0: first, json: item, data, log, entries, request } = found;
  const inner = first ?? item ?? data ?? log ?? entries ?? request;
  return headers !== undefined || typeof inner !== 'object' ? found : requestIn(inner);
}

function readRequest(bytes: Buffer): Delivery {
  const end = /\r?\n\r?\n/.exec(bytes.toString('latin1'));
  if (end === null) throw new CaptureError(`There is no empty line between headers and body. ${EXPECTED}`);
  const [first = '', ...rest] = bytes.toString('utf8', 0, end.index).split(/\r?\n/);
  const lines = REQUEST_LINE.test(first) ? rest : [first, ...rest];
  const headers = lines.map((line, at): [string, string] => {
    const [, name, value = ''] = HEADER.exec(line) ?? [];
    if (name === undefined)
      throw new CaptureError(`Line ${at + 1} of the headers isn't a header. ${EXPECTED}`);
    return [name, value.trim()];
  });
  if (headers.some(([name, value]) => /^transfer-encoding$/i.test(name) && /chunked/i.test(value)))
    throw new CaptureError('The body is still in chunks. Capture the delivery with a tool that joins them.');
  return { headers, body: withoutLastLine(bytes.subarray(end.index + end[0].length), headers) };
}

/** Editors end a file with a line break, which isn't part of the body. */
function withoutLastLine(body: Buffer, headers: Delivery['headers']): Buffer {
  const length = contentLength({ headers }) ?? body.length;
  return /^[\r\n]+$/.test(body.toString('latin1', length)) ? body.subarray(0, length) : body;
}

/** The values of a header, whatever the case of its name, also with the `Http-` prefix that Zapier adds. */
export function valuesOf({ headers }: Pick<Delivery, 'headers'>, name: string): string[] {
  const wanted = name.toLowerCase();
  return headers
    .filter(([key]) => key.toLowerCase().replace(/^http-/, '') === wanted)
    .map(([, value]) => value);
}

/** The number of bytes that were sent, if the delivery states it. */
export function contentLength(delivery: Pick<Delivery, 'headers'>): number | undefined {
  const [length = ''] = valuesOf(delivery, 'Content-Length');
  return /^\d{1,9}$/.test(length) ? Number(length) : undefined;
}
