import { Buffer, isUtf8 } from 'node:buffer';
import { contentLength } from '../Delivery.ts';
import { CaptureError, type Capture, type CaptureFile } from './Capture.ts';
import { readRequest, REQUEST_LINE } from './request.ts';

/** JSON with or without a byte order mark; undefined if it isn't valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

type Headers = Capture['headers'];

const DEEPEST = 16;
/** Header names among other names, as smee.io and Zapier write them: `x-…-signature`, `headers__http_x_…_signature`. */
const SIGNATURE_NAME = /^(?:headers[\W_]+)?(?:http[\W_])?x[\W_].{1,60}[\W_]signature(?:[\W_]v0)?$/i;

/** Reads requests anywhere in JSON: ngrok, webhook.site, HTTP archives, n8n's executions, Pipedream, Zapier. */
export function readJson({ json, bytes }: Pick<CaptureFile, 'json' | 'bytes'>): Capture[] {
  if (!isUtf8(bytes))
    throw new CaptureError("It isn't in UTF-8, so its bytes are lost. Export it once more.");
  return [...findRequests(json)];
}

/** @param binary an n8n item's files, which are next to its JSON */
function* findRequests(json: unknown, binary?: unknown, depth = 0): Generator<Capture> {
  if (typeof json !== 'object' || json === null || depth > DEEPEST) return;
  const entries = Object.entries(json) as [string, unknown][];
  // In lower case and without `_`, `-` and spaces.
  const fields = new Map(
    entries.map(([name, value]) => [name.toLowerCase().replaceAll(/[_\s-]/g, ''), value]),
  );
  if (typeof fields.get('statuscode') === 'number') return;
  if (binary !== undefined) fields.set('binary', binary);
  // Amazon's `headers` have only one value for each name.
  const headers = ['multivalueheaders', 'headers'].map((name) => fields.get(name)).find(isObject);
  if (headers !== undefined) yield readFields(readHeaders(headers), fields);
  else if (!Array.isArray(json) && entries.some(([name]) => SIGNATURE_NAME.test(name)))
    yield readFields(readHeaders(entries.filter(([, value]) => typeof value === 'string')), fields);
  else
    for (const [name, value] of entries)
      if (!/^response/i.test(name))
        yield* findRequests(value, name === 'json' ? fields.get('binary') : undefined, depth + 1);
}

function readFields(headers: Headers, fields: ReadonlyMap<string, unknown>): Capture {
  const raw = readRaw(fields.get('raw') ?? fields.get('rawrequest'));
  if (raw !== undefined) return raw;
  const [file] = Object.values(Object(fields.get('binary')) as Record<string, unknown>);
  if (isObject(file)) return { headers, body: readBinary(file) };
  const bodies = ['rawbody', 'bodyraw', 'body', 'content', 'postdata', 'data'].map((name) =>
    fields.get(name),
  );
  // Text is better than values, which some tools have, too.
  const body =
    bodies.find((value) => typeof value === 'string' && value !== '') ??
    bodies.find((value) => value !== undefined && value !== null);
  if (body === undefined) return { headers };
  const isBase64 = fields.get('isbase64encoded') === true || fields.get('encoding') === 'base64';
  if (typeof body === 'string') return { headers, body: decode(body, isBase64) };
  const { text, mimeType, encoding, type, data } = body as Record<string, unknown>;
  // As in HTTP archives.
  if (typeof text === 'string' && mimeType !== undefined)
    return { headers, body: decode(text, isBase64 || encoding === 'base64') };
  // A Buffer of Node.js.
  if (type === 'Buffer' && Array.isArray(data)) return { headers, body: Uint8Array.from(data as number[]) };
  const values = JSON.stringify(body);
  // n8n has no values if it was told to keep the raw body.
  if (values === '{}' && (contentLength({ headers }) ?? 0) > values.length) return { headers };
  return {
    headers,
    body: Buffer.from(values),
    rebuilt: 'The file has the body as JSON values instead of text, so its original bytes are unknown.',
  };
}

/** The whole request, which ngrok encodes in base64; undefined if it is something else. */
function readRaw(raw: unknown): Capture | undefined {
  if (typeof raw !== 'string') return undefined;
  const bytes = BASE64.test(raw) ? Buffer.from(raw, 'base64') : Buffer.from(raw);
  return REQUEST_LINE.test(bytes.toString('latin1')) ? readRequest(bytes) : undefined;
}

/** A file of an n8n item; undefined if n8n keeps it in its own storage. */
function readBinary({ data, id }: Record<string, unknown>): Uint8Array | undefined {
  return typeof data === 'string' && id === undefined && BASE64.test(data)
    ? Buffer.from(data, 'base64')
    : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const BASE64 = /^[\w+/=\s-]*$/;

function decode(body: string, isBase64: boolean): Uint8Array {
  if (isBase64 && !BASE64.test(body)) throw new CaptureError("Its body isn't valid base64.");
  return Buffer.from(body, isBase64 ? 'base64' : 'utf8');
}

/** An object of texts or lists of texts, or a list of pairs or of `{ name, value }`. */
function readHeaders(given: object): Headers {
  const pairs = (Array.isArray(given) ? given.map(readPair) : Object.entries(given)) as [unknown, unknown][];
  const headers = pairs.flatMap(([name, value]) =>
    [value]
      .flat()
      .map((single): [string, string] => [
        String(name).replace(/^headers[\W_]+/i, ''),
        typeof single === 'string' ? single : JSON.stringify(single ?? ''),
      ]),
  );
  // As variables of CGI, which Zapier uses, too: http_x_service_signature.
  const areVariables =
    headers.some(([name]) => /^http[_ ]/i.test(name)) && !headers.some(([name]) => name.includes('-'));
  return areVariables ? headers.map(([name, value]) => [name.replaceAll(/[_ ]/g, '-'), value]) : headers;
}

function readPair(entry: unknown): readonly unknown[] {
  if (Array.isArray(entry)) return entry;
  const fields = new Map(
    Object.entries(Object(entry) as object).map(([field, value]) => [field.toLowerCase(), value as unknown]),
  );
  return [fields.get('name') ?? fields.get('key'), fields.get('value')];
}
