import type { SimulatedTime } from '../jest/virtualTime.ts';
import { apiError } from './apiError.ts';
import { Codes } from './codes.ts';
import { replyOf, respond, type WireRequest } from './wire.ts';

/** A request as passed to n8n's helper. */
interface HelperRequest extends WireRequest {
  headers: Record<string, string>;
  abortSignal?: AbortSignal;
}

/** A request as it was received. Times are in milliseconds since the start. */
interface ReceivedRequest {
  at: number;
  path: string;
  body: string;
  /** Number of concurrent requests, including itself. */
  inFlight: number;
  status?: number;
  respondedAt?: number;
}

interface Refusal {
  status: number;
  code?: string;
  headers?: Record<string, string>;
  /** Whether it is replayed for the request's Idempotency-Key. */
  isStored?: boolean;
}

/** What goes wrong: no response without or after (`silent`) the work, a connection that is cut before or after (`lost`) the work, or a refusal. */
export type Fault = 'hang' | 'silent' | 'reset' | 'lost' | Refusal;

/** How the service responds. */
export interface Behavior {
  latencyMs: () => number;
  fault: (request: ReceivedRequest & { count: number }) => Fault | undefined;
  /** Headers of every response. */
  headers: () => Record<string, string>;
}

/** A service behind n8n's HTTP helper. */
export type N8nService = ReturnType<typeof n8nService>;

/** Makes a service whose responses take simulated time. */
export function n8nService(time: SimulatedTime, behavior: Partial<Behavior> = {}) {
  const { latencyMs = () => 100, fault = () => undefined, headers = () => ({}) } = behavior;
  const codes = new Codes();
  const requests: ReceivedRequest[] = [];
  const running = new Set<string>();
  let inFlight = 0;

  async function request(sent: HelperRequest) {
    inFlight++;
    try {
      return await Promise.race([receive(sent), whenAborted(sent.abortSignal)]);
    } finally {
      inFlight--;
    }
  }

  async function receive({ method, url, headers: { 'Idempotency-Key': sentKey }, body = '' }: HelperRequest) {
    const path = new URL(url).pathname.replace('/v1/public-api', '');
    const received: ReceivedRequest = { at: time.elapsed(), path, body, inFlight };
    const count = requests.push(received);
    const key = sentKey ?? `none ${count}`;
    const wrong = fault({ ...received, count });
    const isRunning = running.has(key);
    running.add(key);
    await time.wait(latencyMs());
    if (!isRunning) running.delete(key);

    const never = new Promise<never>(() => undefined);
    if (wrong === 'hang') return never;
    if (wrong === 'reset') throw connectionReset();
    const refused = typeof wrong === 'object' ? wrong : undefined;
    const refusal = refused && apiError(refused.status, refused.code ?? `http_${refused.status}`);
    const reply = replyOf(() => {
      if (refusal !== undefined && refused?.isStored !== true) throw refusal;
      if (isRunning) throw apiError(409, 'idempotency_in_progress');
      return respond(codes, { method, url, body, key }, refusal);
    });
    if (wrong === 'silent') return never;
    if (wrong === 'lost') throw connectionReset();
    const { status } = Object.assign(received, { status: reply.status, respondedAt: time.elapsed() });
    const contentType = typeof reply.body === 'string' ? 'application/json' : 'image/png';
    return {
      statusCode: status,
      headers: { 'content-type': contentType, ...headers(), ...refused?.headers },
      body: Object.assign([Buffer.from(reply.body)], { destroy: () => undefined }),
    };
  }

  return { codes, request, requests };
}

function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}

function whenAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }));
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}
