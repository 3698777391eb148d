import type { QrCodeInput } from '../../../shared/src/contract/types.ts';
import { ApiError } from '../../../shared/src/errors/ApiError.ts';
import type { Codes } from './codes.ts';

/** A request as the service receives it, with its Idempotency-Key. */
export interface WireRequest {
  method: string;
  url: string;
  body?: string;
  key?: string;
}

/** A response as the service sends it. */
interface Reply {
  status: number;
  body: string | Uint8Array;
}

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
let failures = 0;

/** Responds to a request for codes or scans, which are the same rows. A refusal takes the place of the work. */
export function respond(codes: Codes, request: WireRequest, refusal?: ApiError): Reply {
  const { method, url, body = '', key } = request;
  const { pathname, searchParams: query } = new URL(url, 'http://service');
  const [, id, action] = /\/qr\/([^/]+)(?:\/(\w+))?$/.exec(pathname) ?? [];

  function read() {
    if (id !== undefined) return codes.read(id);
    const since = query.get('updatedSince') ?? query.get('since') ?? undefined;
    const { rows, nextCursor = null } = codes.page(since, query.get('cursor') ?? undefined);
    return { data: rows, pagination: { nextCursor } };
  }
  function write() {
    const input = JSON.parse(body || '{}') as QrCodeInput & { url: string };
    if (id === undefined) return codes.create(input);
    return action === 'publish' ? codes.publish(id) : codes.retarget(id, input.url);
  }
  const execute = (work: () => object) =>
    replyOf(() => {
      if (refusal !== undefined) throw refusal;
      const result = work();
      return { status: 200, body: action === 'image' ? PNG : JSON.stringify(result) };
    });
  if (method === 'GET') return execute(read);
  return replyOf(() => codes.once(key, `${pathname}\n${body}`, () => execute(write)).result);
}

/** The result of the work, or its error as the service sends it. */
export function replyOf(work: () => Reply): Reply {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code } = error;
    const body = { error: code, message: 'It failed.', code, requestId: `req_${++failures}` };
    return { status, body: JSON.stringify(body) };
  }
}
