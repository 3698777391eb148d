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
  /** Responds with this status, without taking effect. */
  status?: number;
  code?: string;
  headers?: Record<string, string>;
  /** Whether the request still takes effect, if it hangs or the connection is cut. */
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
  method: string;
  path: string;
  body: string;
  key: string | undefined;
  /** Number of concurrent requests when it was received, including itself. */
  inFlight: number;
  status?: number;
  respondedAt?: number;
}

interface Reply {
  status: number;
  body: string | Uint8Array;
  isReplay?: true;
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
  /** The first write with each Idempotency-Key, and its reply. */
  const stored = new Map<string, { write: string; reply: Reply }>();
  const running = new Set<string>();
  let inFlight = 0;
  let [codes, failures] = [0, 0];

  function failure(status: number, errorCode = `http_${status}`): Reply {
    const requestId = `req_${++failures}`;
    const error = { error: errorCode, message: 'It failed.', code: errorCode, requestId };
    return { status, body: JSON.stringify(error) };
  }

  function read(path: string): Reply {
    const [, id, image] = /\/qr\/([^/]+)(\/image)?$/.exec(path) ?? [];
    if (id === undefined)
      return { status: 200, body: `{"data":[${code('qr_1')},${code('qr_2')},${code('qr_3')}]}` };
    if (id.startsWith('bad')) return failure(404, 'not_found');
    return { status: 200, body: image === undefined ? code(id) : PNG };
  }

  function takeEffect(path: string, body: string): Reply {
    const input = JSON.parse(body || '{}') as { name?: string };
    const work = `${path} ${input.name ?? ''}`;
    if (/\bbad-/.test(work)) return failure(422, 'validation_failed');
    effects.set(work, (effects.get(work) ?? 0) + 1);
    const id = /\/qr\/([^/]+)/.exec(path)?.[1] ?? `qr_${++codes}`;
    return { status: 200, body: code(id, input.name) };
  }

  /** Handles a request by the rules. A write with a new key is refused if there is a refusal. */
  function handle({ method, path, body, key = '' }: ReceivedRequest, refusal?: Reply): Reply {
    if (method === 'GET') return refusal ?? read(path);
    const write = `${path}\n${body}`;
    const first = stored.get(key);
    if (first !== undefined)
      return first.write === write
        ? { ...first.reply, isReplay: true }
        : failure(409, 'idempotency_conflict');
    const reply = refusal ?? takeEffect(path, body);
    if (key !== '') stored.set(key, { write, reply });
    return reply;
  }

  async function request({ method, url, headers: sent, body = '', abortSignal }: ModelRequest) {
    const path = new URL(url).pathname.replace('/v1/public-api', '');
    const key = sent['Idempotency-Key'];
    const entry: ReceivedRequest = { at: time.elapsed(), method, path, body, key, inFlight: ++inFlight };
    requests.push(entry);
    try {
      return await Promise.race([respond(entry), whenAborted(abortSignal)]);
    } finally {
      inFlight--;
    }
  }

  async function respond(entry: ReceivedRequest) {
    const { at, path, body, key = '' } = entry;
    const wrong = fault({ at, count: requests.length, path, body });
    const isRunning = running.has(key);
    if (key !== '') running.add(key);
    try {
      await time.wait(latencyMs());
    } finally {
      if (!isRunning) running.delete(key);
    }
    let reply = wrong?.status === undefined ? undefined : failure(wrong.status, wrong.code);
    if (wrong === undefined || wrong.afterWork === true || wrong.isStored === true)
      reply = isRunning ? failure(409, 'idempotency_in_progress') : handle(entry, reply);
    if (wrong?.hang === true) await new Promise(() => undefined);
    if (reply === undefined || wrong?.reset === true)
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    entry.status = reply.status;
    entry.respondedAt = time.elapsed();
    return {
      statusCode: reply.status,
      headers: {
        'content-type': typeof reply.body === 'string' ? 'application/json' : 'image/png',
        ...headers(),
        ...wrong?.headers,
        ...(marksReplays && reply.isReplay === true ? { 'idempotency-replayed': 'true' } : {}),
      },
      body: Object.assign([Buffer.from(reply.body)], { destroy: () => undefined }),
    };
  }

  return { request, requests, effects };
}

/** The service in memory. */
export type ModelService = ReturnType<typeof modelService>;

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
