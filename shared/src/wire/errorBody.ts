import type { ApiErrorInit } from '../errors/ApiError.ts';
import { showText } from '../errors/sentences.ts';
import { isObject, omitUndefined, nonEmptyText } from '../json/json.ts';
import { readHeader, type WireHeaders } from './headers.ts';
import { withoutSecrets } from './subscription.ts';

const MAX_MESSAGE_LENGTH = 1000;

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
 * Reads an error response (docs/api.md#errors). The service's own are JSON objects with a `code`: anything else, such as a
 * proxy's page or a body that was cut off, says nothing about the key or the record. The shape of details is shown for one
 * code only ("Errors", gaps): a list is kept under `items`.
 */
export function readErrorBody({
  status,
  body,
  headers = {},
}: ErrorResponse): Pick<ApiErrorInit, 'code' | 'message' | 'details' | 'requestId' | 'intermediary'> {
  const { code, message, error, details, requestId } = isObject(body) ? body : {};
  const ownCode = nonEmptyText(code);
  const object = Array.isArray(details) ? { items: details as unknown[] } : details;
  return {
    code: ownCode ?? `http_${status}`,
    message: showText(nonEmptyText(message) ?? nonEmptyText(error) ?? '', MAX_MESSAGE_LENGTH),
    ...omitUndefined({
      details: isObject(object) ? withoutSecrets(object) : undefined,
      requestId: nonEmptyText(requestId),
      intermediary: ownCode === undefined ? describeIntermediary(headers) : undefined,
    }),
  };
}

/**
 * Content type and server of a response that isn't the service's own, for example `text/html, from cloudflare`. A
 * header may contain anything, so only well-formed names are included.
 */
export function describeIntermediary(headers: WireHeaders): string {
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(readHeader(headers, 'Content-Type') ?? '')?.[0];
  const server = /^[a-z][\w.-]*/i.exec(readHeader(headers, 'Server') ?? '')?.[0];
  return [type, server && `from ${server}`].filter(Boolean).join(', ') || 'no content type';
}
