import { TransportError, type Transport } from '@qr-service/core';
import { API_PATH } from '@qr-service/core/connector';

/** A request as a service receives it. */
export interface SeenRequest {
  method: string;
  /** Below the API; the whole address of a short link. */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
}

/** A response that may be changed before the probe gets it. */
export interface Draft {
  /** 0 ends the connection without a response. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Parsed JSON; undefined if the body isn't JSON. */
  json: unknown;
  /** The body if it isn't JSON. */
  bytes: Uint8Array;
}

/** Changes requests and responses of a service in place. */
export interface Alteration {
  request?: (request: SeenRequest) => void;
  response?: (draft: Draft, request: SeenRequest) => void;
}

/** A transport to a service that departs from the API text. */
export function altered(transport: Transport, { request: before, response: after }: Alteration): Transport {
  return async (request) => {
    const url = new URL(request.url);
    const isApi = url.pathname.startsWith(API_PATH);
    const path = isApi ? url.pathname.slice(API_PATH.length) : url.href;
    const seen = { method: request.method, path, query: url.searchParams, headers: { ...request.headers } };
    before?.(seen);
    if (isApi) url.pathname = API_PATH + seen.path;
    const received = await transport({ ...request, url: url.href, headers: seen.headers });
    const bytes = received.body as Uint8Array;
    const draft: Draft = {
      status: received.status,
      headers: { ...received.headers },
      json: parse(bytes),
      bytes,
    };
    after?.(draft, seen);
    if (draft.status === 0) throw new TransportError('The connection was closed.', { kind: 'network' });
    const body = draft.json === undefined ? draft.bytes : Buffer.from(JSON.stringify(draft.json));
    return { status: draft.status, headers: draft.headers, body };
  };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
