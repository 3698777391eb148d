import type { ErrorCode } from '../contract/errorCodes.ts';
import { showText } from '../errors/sentences.ts';
import { isObject, type JsonObject, omitUndefined, text } from '../json/json.ts';
import { readHeader, type WireHeaders } from './headers.ts';
import { SECRET_KEYS } from './subscription.ts';

const LONGEST_MESSAGE = 1000;
const LONGEST_ID = 100;

/** The body of an error response, as read from the wire. */
interface WireError {
  code: ErrorCode | (string & {});
  message: string;
  details?: JsonObject;
  requestId?: string;
  /** What responded instead of the service, such as a proxy, as far as its headers say. */
  intermediary?: string;
}

/** An error response as it was received. */
interface ErrorResponse {
  /** HTTP status. */
  status: number;
  /** Parsed JSON, or else text. */
  body: unknown;
  /** Names in any case. */
  headers?: WireHeaders;
}

/**
 * Reads an error response (API text, "Errors"). The service's own are JSON objects with a `code`: anything else, such as a
 * proxy's page or a body that was cut off, says nothing about the key or the record.
 */
export function readErrorBody({ status, body, headers = {} }: ErrorResponse): WireError {
  const { code, message, error, details, requestId } = isObject(body) ? body : {};
  const stated = text(code);
  const id = text(requestId);
  return {
    code: stated === undefined ? `http_${status}` : showText(stated, LONGEST_ID),
    message: showText(text(message) ?? text(error) ?? '', LONGEST_MESSAGE),
    ...omitUndefined({
      details: readDetails(details),
      requestId: id === undefined ? undefined : showText(id, LONGEST_ID),
      intermediary: stated === undefined ? describeIntermediary(headers) : undefined,
    }),
  };
}

/**
 * Content type and server of a response that isn't the service's own, for example `text/html, from cloudflare`. A
 * header may contain anything, so only well-formed names are included.
 */
export function describeIntermediary(headers: WireHeaders): string {
  const type = readHeader(headers, 'Content-Type') ?? '';
  const server = readHeader(headers, 'Server') ?? '';
  const mime = /^[\w.+-]{1,40}\/[\w.+-]{1,60}(?=$|[; ])/.exec(type)?.[0].toLowerCase();
  const name = /^[A-Za-z][\w.-]{0,39}(?=$|[/ ])/.exec(server)?.[0];
  return [mime, name && `from ${name}`].filter(Boolean).join(', ') || 'no content type';
}

/**
 * Reads the details, without signing secrets, as platforms store them with executions. Their shape is shown for one code
 * only (API text, "Errors", gaps): a list is kept under `items`.
 */
function readDetails(value: unknown): JsonObject | undefined {
  const details = Array.isArray(value) ? { items: value as unknown[] } : value;
  if (!isObject(details)) return undefined;
  const hide = (key: string, inside: unknown) =>
    SECRET_KEYS.some((name) => name === key) && typeof inside === 'string' ? '[secret]' : inside;
  return JSON.parse(JSON.stringify(details, hide)) as JsonObject;
}
