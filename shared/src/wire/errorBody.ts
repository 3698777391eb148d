import type { ErrorCode } from '../contract/errorCodes.ts';
import type { WireHeaders } from './headers.ts';
import { describeIntermediary, type Redact } from './intermediary.ts';
import { clip } from '../errors/clip.ts';
import { statusMessage } from '../errors/explain.ts';
import { omitUndefined } from '../json/omitUndefined.ts';
import { isObject, text, type JsonObject } from '../json/values.ts';
import { SECRET_KEYS } from '../contract/wireNames.ts';

const LONGEST_MESSAGE = 1000;
const LONGEST_ID = 100;
const LONGEST_DETAILS = 10_000;
const DEEPEST_DETAILS = 20;
/** Codes that callers can branch on. */
const CODE = /^\P{C}{1,100}$/u;

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
 * Reads an error response (API text, "Errors"). The service's own error bodies are always JSON objects: any other body,
 * such as a page, one that was cut off or none at all, counts as an intermediary's and says nothing about the key or the
 * record.
 */
export function readErrorBody(
  { status, body, headers = {} }: ErrorResponse,
  redact: Redact = (value) => value,
): WireError {
  const { code: stated = '', message, details, requestId } = redact(readFields(body));
  const isShort = JSON.stringify(details ?? {}).length <= LONGEST_DETAILS;
  return {
    code: CODE.test(stated) ? stated : `http_${status}`,
    message: clip(message ?? statusMessage(status), LONGEST_MESSAGE),
    ...omitUndefined({
      details: isShort ? withoutSecrets(details) : undefined,
      requestId: requestId && clip(requestId, LONGEST_ID),
      intermediary: isObject(body) ? undefined : describeIntermediary(headers, redact),
    }),
  };
}

/** The fields of an error body, before they are shortened. */
function readFields(body: unknown): Partial<WireError> {
  const outer = isObject(body) ? body : {};
  const nested = isObject(outer['error']) ? outer['error'] : {};
  return omitUndefined({
    code: text(outer['code']) ?? text(nested['code']),
    message: text(outer['message']) ?? text(nested['message']) ?? text(outer['error']),
    details: readDetails(outer['details']) ?? readDetails(nested['details']),
    requestId: text(outer['requestId']) ?? text(nested['requestId']),
  });
}

/**
 * Reads the details. Their shape is shown for one code only (API text, "Errors", gaps): a list is kept under `items`.
 * Details nested too deep to read are left out.
 */
function readDetails(value: unknown): JsonObject | undefined {
  const details = Array.isArray(value) ? { items: value as unknown[] } : value;
  return isObject(details) && isShallow(details, DEEPEST_DETAILS) ? details : undefined;
}

/** Removes signing secrets, as platforms store the details with executions. */
function withoutSecrets(details: JsonObject | undefined): JsonObject | undefined {
  if (details === undefined) return undefined;
  const hide = (key: string, value: unknown) =>
    SECRET_KEYS.some((name) => name === key) && typeof value === 'string' ? '[secret]' : value;
  return JSON.parse(JSON.stringify(details, hide)) as JsonObject;
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inside) => isShallow(inside, levels - 1));
}
