import { TransportError, type Transport } from '@qr-service/core';
import { API_PATH } from '@qr-service/core/connector';
import type { ResponseDraft } from 'qr-service-emulator';

/** A request as a service receives it. */
export interface SeenRequest {
  method: string;
  /** Below the API; the whole address of a short link. */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
}

/** Changes requests and responses of a service in place. */
export interface Alteration {
  request?: (request: SeenRequest) => void;
  response?: (draft: ResponseDraft, request: SeenRequest) => void;
}

/** A transport to a service that departs from docs/api.md. */
export function altered(transport: Transport, { request: before, response: after }: Alteration): Transport {
  return async (request) => {
    const url = new URL(request.url);
    const isApi = url.pathname.startsWith(API_PATH);
    const path = isApi ? url.pathname.slice(API_PATH.length) : url.href;
    const seen = { method: request.method, path, query: url.searchParams, headers: { ...request.headers } };
    before?.(seen);
    if (isApi) url.pathname = API_PATH + seen.path;
    const received = await transport({ ...request, url: url.href, headers: seen.headers });
    const bytes = Buffer.from(received.body as Uint8Array);
    const headers = { ...received.headers } as ResponseDraft['headers'];
    const draft: ResponseDraft = { status: received.status, headers, json: parse(bytes), bytes };
    after?.(draft, seen);
    if (draft.status === 0) throw new TransportError('The connection was closed.', { code: 'network' });
    const body = draft.json === undefined ? draft.bytes : Buffer.from(JSON.stringify(draft.json));
    return { status: draft.status, headers: draft.headers, body };
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
