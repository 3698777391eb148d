import { FOREIGN } from '../errors/describeFailure.ts';
import { type QrServiceError, TransportError } from '../errors/QrServiceError.ts';
import { withoutPeriod } from '../errors/sentences.ts';
import type { WireHeaders } from '../wire/headers.ts';
import { describeIntermediary } from '../wire/errorBody.ts';
import type { Mask } from './configuration.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** A successful response. `body` is parsed JSON, or bytes if the call requested them. */
export interface ApiResponse {
  status: number;
  headers: WireHeaders;
  body: unknown;
}

/** A successful response, or why it can't be read. */
export function readSuccess(
  request: TransportRequest,
  { status, headers, body }: TransportResponse,
): ApiResponse | { error: QrServiceError } {
  if (request.responseType === 'bytes') return { status, headers, body: bodyBytes(body) };
  const text = bodyText(body);
  if (text === undefined) return { status, headers, body };
  if (text.trim() === '') return { status, headers, body: undefined };
  const json = parseJson(text);
  if (json !== undefined) return { status, headers, body: json };
  // With a truncated or foreign body, it's unknown whether the call was carried out: like a lost response, it may be
  // retried.
  if (/^\s*[[{]/.test(text))
    return {
      error: new TransportError("The response was cut off or isn't valid JSON.", { kind: 'network' }),
    };
  const detail = `${withoutPeriod(FOREIGN.fact)} (status ${status}, ${describeIntermediary(headers)}).`;
  return { error: new TransportError(FOREIGN.meaning, { kind: 'network', detail }) };
}

/** The body of an error response, without the API key: parsed JSON, or else text. */
export function readFailure(body: unknown, mask: Mask): unknown {
  const text = bodyText(body);
  const json = text === undefined ? body : parseJson(text);
  // Serialized anew, as a service may escape the key's characters in another way.
  return json === undefined ? mask(text ?? '') : parseJson(mask(JSON.stringify(json)));
}

/** A body as text; undefined if the transport has already parsed it. */
function bodyText(body: unknown): string | undefined {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : undefined;
}

/** A body as bytes in a buffer of their own: Node.js keeps small ones together in one. */
function bodyBytes(body: unknown): Uint8Array {
  if (!(body instanceof Uint8Array)) return new TextEncoder().encode(bodyText(body));
  return body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
