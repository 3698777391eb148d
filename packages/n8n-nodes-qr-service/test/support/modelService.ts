import { createHash } from 'node:crypto';
import type { SimulatedTime } from '../../../../harness/jest/simulatedTime.ts';

/** A request as n8n's helper is given it. */
export interface ModelRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  abortSignal?: AbortSignal;
}

/** What the service does with a request in place of answering it as it should. */
export interface Fault {
  /** Never answers. */
  hang?: boolean;
  /** Cuts the connection. */
  reset?: boolean;
  /** Answers with this status. */
  status?: number;
  code?: string;
  headers?: Record<string, string>;
  /** The work is done all the same. */
  afterWork?: boolean;
  /** The answer is kept for its Idempotency-Key. */
  isStored?: boolean;
}

/** What the model is told to do. */
export interface Behaviour {
  latencyMs: () => number;
  /** The fault of a request, if any. */
  fault: (request: { at: number; count: number; path: string; body: string }) => Fault | undefined;
  /** Headers of every answer. */
  headers: () => Record<string, string>;
  /** Whether replays are marked. */
  marksReplays: boolean;
  /** Whether failures carry one. */
  hasRequestIds: boolean;
}

/** A request that came in. */
export interface Seen {
  at: number;
  path: string;
  body: string;
  key: string | undefined;
  /** Requests under way when it came, itself included. */
  inFlight: number;
  status?: number;
  answeredAt?: number;
}

interface Stored {
  fingerprint: string;
  status: number;
  body: string;
}

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);

/** The service in memory, on a simulated clock: its rules are those of the API text, its faults the test's. */
export function modelService(time: SimulatedTime, behaviour: Partial<Behaviour> = {}) {
  const {
    latencyMs = () => 100,
    fault = () => undefined,
    headers = () => ({}),
    marksReplays = false,
    hasRequestIds = true,
  } = behaviour;
  const seen: Seen[] = [];
  /** How often each piece of work was done. */
  const acts = new Map<string, number>();
  const stored = new Map<string, Stored>();
  const running = new Set<string>();
  let inFlight = 0;
  let [codes, failures] = [0, 0];

  function failure(errorCode: string): string {
    const requestId = hasRequestIds ? `req_${++failures}` : undefined;
    return JSON.stringify({ error: errorCode, message: 'It failed.', code: errorCode, requestId });
  }

  function act(path: string, body: string): { status: number; body: string } {
    const input = JSON.parse(body || '{}') as { name?: string };
    const work = `${path} ${input.name ?? ''}`;
    if (/\bbad-/.test(work)) return { status: 422, body: failure('validation_failed') };
    acts.set(work, (acts.get(work) ?? 0) + 1);
    const id = /\/qr\/([^/]+)/.exec(path)?.[1] ?? `qr_${++codes}`;
    return { status: 200, body: code(id, input.name) };
  }

  function answer({ method, path, body, key }: Request): {
    status: number;
    body: string | Uint8Array;
    replayed?: true;
  } {
    if (method === 'GET') {
      if (path.endsWith('/image')) return { status: 200, body: PNG };
      const id = /\/qr\/([^/]+)$/.exec(path)?.[1];
      if (id === undefined)
        return { status: 200, body: `{"data":[${code('qr_1')},${code('qr_2')},${code('qr_3')}]}` };
      return id.startsWith('bad')
        ? { status: 404, body: failure('not_found') }
        : { status: 200, body: code(id) };
    }
    const fingerprint = createHash('sha256').update(`${path}\n${body}`).digest('hex');
    const first = key === undefined ? undefined : stored.get(key);
    if (first !== undefined && first.fingerprint !== fingerprint)
      return { status: 409, body: failure('idempotency_conflict') };
    if (first !== undefined) return { status: first.status, body: first.body, replayed: true };
    const done = act(path, body);
    if (key !== undefined) stored.set(key, { fingerprint, ...done });
    return done;
  }

  async function request({ method, url, headers: sent, body = '', abortSignal }: ModelRequest) {
    const { pathname } = new URL(url);
    const path = pathname.replace('/v1/public-api', '');
    const key = sent['Idempotency-Key'];
    const entry: Seen = { at: time.elapsed(), path, body, key, inFlight: ++inFlight };
    seen.push(entry);
    try {
      return await Promise.race([respond({ method, path, body, key }, entry), whenAborted(abortSignal)]);
    } finally {
      inFlight--;
    }
  }

  async function respond(asked: Request, entry: Seen) {
    const { path, body, key } = asked;
    const wrong = fault({ at: entry.at, count: seen.length, path, body });
    const isRunning = key !== undefined && running.has(key);
    if (key !== undefined) running.add(key);
    try {
      await time.wait(latencyMs());
    } finally {
      if (key !== undefined && !isRunning) running.delete(key);
    }
    let reply: ReturnType<typeof answer> = { status: 409, body: failure('idempotency_in_progress') };
    if (!isRunning && (wrong === undefined || wrong.afterWork === true)) reply = answer(asked);
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
    entry.answeredAt = time.elapsed();
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

  return { request, seen, acts };
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
