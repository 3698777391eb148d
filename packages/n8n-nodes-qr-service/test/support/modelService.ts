import { createHash } from 'node:crypto';
import type { SimulatedTime } from '../../../../test/support/jest/virtualTime.ts';

/** A request as passed to n8n's helper. */
interface ModelRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  abortSignal?: AbortSignal;
}

/** How the service mishandles a request. */
export interface Fault {
  /** Never responds. */
  hang?: boolean;
  /** Cuts the connection. */
  reset?: boolean;
  /** Responds with this status. */
  status?: number;
  code?: string;
  headers?: Record<string, string>;
  /** Whether the request still takes effect. */
  afterWork?: boolean;
  /** Whether the response is stored under its Idempotency-Key. */
  isStored?: boolean;
}

/** Options of the model. */
export interface Behavior {
  latencyMs: () => number;
  /** The fault of a request, if any. */
  fault: (request: { at: number; count: number; path: string; body: string }) => Fault | undefined;
  /** Headers of every response. */
  headers: () => Record<string, string>;
  /** Whether replays are marked. */
  marksReplays: boolean;
}

/** A received request. */
export interface ReceivedRequest {
  at: number;
  path: string;
  body: string;
  key: string | undefined;
  /** Number of concurrent requests when it was received, including itself. */
  inFlight: number;
  status?: number;
  respondedAt?: number;
}

interface Stored {
  fingerprint: string;
  status: number;
  body: string;
}

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);

/** The service in memory, on a simulated clock. It follows the rules of the API text, with faults set by the test. */
export function modelService(time: SimulatedTime, behavior: Partial<Behavior> = {}) {
  const {
    latencyMs = () => 100,
    fault = () => undefined,
    headers = () => ({}),
    marksReplays = false,
  } = behavior;
  const requests: ReceivedRequest[] = [];
  /** How often each write took effect. */
  const effects = new Map<string, number>();
  const stored = new Map<string, Stored>();
  const running = new Set<string>();
  let inFlight = 0;
  let [codes, failures] = [0, 0];

  function failure(errorCode: string): string {
    const requestId = `req_${++failures}`;
    return JSON.stringify({ error: errorCode, message: 'It failed.', code: errorCode, requestId });
  }

  function takeEffect(path: string, body: string): { status: number; body: string } {
    const input = JSON.parse(body || '{}') as { name?: string };
    const work = `${path} ${input.name ?? ''}`;
    if (/\bbad-/.test(work)) return { status: 422, body: failure('validation_failed') };
    effects.set(work, (effects.get(work) ?? 0) + 1);
    const id = /\/qr\/([^/]+)/.exec(path)?.[1] ?? `qr_${++codes}`;
    return { status: 200, body: code(id, input.name) };
  }

  function handle({ method, path, body, key }: Request): {
    status: number;
    body: string | Uint8Array;
    replayed?: true;
  } {
    if (method === 'GET') {
      const [, id, image] = /\/qr\/([^/]+)(\/image)?$/.exec(path) ?? [];
      if (id === undefined)
        return { status: 200, body: `{"data":[${code('qr_1')},${code('qr_2')},${code('qr_3')}]}` };
      return id.startsWith('bad')
        ? { status: 404, body: failure('not_found') }
        : { status: 200, body: image === undefined ? code(id) : PNG };
    }
    const fingerprint = createHash('sha256').update(`${path}\n${body}`).digest('hex');
    const first = key === undefined ? undefined : stored.get(key);
    if (first !== undefined && first.fingerprint !== fingerprint)
      return { status: 409, body: failure('idempotency_conflict') };
    if (first !== undefined) return { status: first.status, body: first.body, replayed: true };
    const done = takeEffect(path, body);
    if (key !== undefined) stored.set(key, { fingerprint, ...done });
    return done;
  }

  async function request({ method, url, headers: sent, body = '', abortSignal }: ModelRequest) {
    const { pathname } = new URL(url);
    const path = pathname.replace('/v1/public-api', '');
    const key = sent['Idempotency-Key'];
    const entry: ReceivedRequest = { at: time.elapsed(), path, body, key, inFlight: ++inFlight };
    requests.push(entry);
    try {
      return await Promise.race([respond({ method, path, body, key }, entry), whenAborted(abortSignal)]);
    } finally {
      inFlight--;
    }
  }

  async function respond(incoming: Request, entry: ReceivedRequest) {
    const { path, body, key } = incoming;
    const wrong = fault({ at: entry.at, count: requests.length, path, body });
    const isRunning = key !== undefined && running.has(key);
    if (key !== undefined) running.add(key);
    try {
      await time.wait(latencyMs());
    } finally {
      if (key !== undefined && !isRunning) running.delete(key);
    }
    let reply: ReturnType<typeof handle> = { status: 409, body: failure('idempotency_in_progress') };
    if (!isRunning && (wrong === undefined || wrong.afterWork === true)) reply = handle(incoming);
    if (wrong?.hang === true) await new Promise(() => undefined);
    if (wrong?.reset === true) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    if (wrong?.status !== undefined) {
      reply = { status: wrong.status, body: failure(wrong.code ?? `http_${wrong.status}`) };
      if (wrong.isStored === true && key !== undefined) {
        const fingerprint = createHash('sha256').update(`${path}\n${body}`).digest('hex');
        const before = stored.get(key);
        if (before === undefined)
          stored.set(key, { fingerprint, status: reply.status, body: String(reply.body) });
        else reply = { ...before, replayed: true };
      }
    }
    entry.status = reply.status;
    entry.respondedAt = time.elapsed();
    return {
      statusCode: reply.status,
      headers: {
        'content-type': typeof reply.body === 'string' ? 'application/json' : 'image/png',
        ...headers(),
        ...wrong?.headers,
        ...(marksReplays && reply.replayed === true ? { 'idempotency-replayed': 'true' } : {}),
      },
      body: Object.assign([typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body], {
        destroy: () => undefined,
      }),
    };
  }

  return { request, requests, effects };
}

/** The service in memory. */
export type ModelService = ReturnType<typeof modelService>;

interface Request {
  method: string;
  path: string;
  body: string;
  key: string | undefined;
}

function whenAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }));
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function code(id: string, name = id): string {
  const updatedAt = '2026-01-01T00:00:00.000Z';
  return JSON.stringify({ id, name, slug: `${id}-slug`, publicUrl: `https://r.example/${id}`, updatedAt });
}
