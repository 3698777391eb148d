import type { ApiErrorInit } from '../errors/ApiError.ts';
import { showText } from '../errors/sentences.ts';
import { isObject, omitUndefined, nonEmptyText } from '../json/json.ts';
import { readHeader, type WireHeaders } from './headers.ts';
import { withoutSecrets } from './subscription.ts';

const MAX_MESSAGE_LENGTH = 1000;

/** Reads an error response (docs/api.md#errors). Without a `code` it isn't the service's own. Details may be a list: `items`. */
export function readErrorBody(
  status: number,
  body: unknown,
  headers: WireHeaders = {},
): Pick<ApiErrorInit, 'code' | 'message' | 'details' | 'requestId' | 'intermediary'> {
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

/** Type and server of a response, such as `text/html, from cloudflare`. A header may contain anything, even the key. */
export function describeIntermediary(headers: WireHeaders): string {
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(readHeader(headers, 'Content-Type') ?? '')?.[0];
  const server = /^[a-z][\w.-]*/i.exec(readHeader(headers, 'Server') ?? '')?.[0];
  return [type, server && `from ${server}`].filter(Boolean).join(', ') || 'no content type';
}
