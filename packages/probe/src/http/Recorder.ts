import { Buffer } from 'node:buffer';
import {
  isTransportError,
  TransportError,
  type Sleep,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '@qr-service/core';
import { API_PATH, showText } from '@qr-service/core/connector';

/** A request that was sent, and what came back: without headers and bodies, as those may contain secrets. */
interface Exchange {
  /** Below the API's base URL, with the query; the whole address of a short link. */
  path: string;
  /** Undefined without a response. */
  status?: number;
  /** As a line of a report: `POST /qr/qr_1/publish → 200, 12 ms`. */
  line: string;
}

/** Options of a `Recorder`. */
interface RecorderOptions {
  transport: Transport;
  apiKey: string;
  /** The clock, in milliseconds since the epoch. */
  now: () => number;
  sleep: Sleep;
  /** Aborts when the user stops the probe. */
  signal?: AbortSignal | undefined;
  /** How long requests may be sent, in milliseconds. */
  totalMs: number;
}

/** How long a request may take, in milliseconds: an endpoint that takes longer hangs. */
export const REQUEST_MS = 10_000;
/** Visits of bots don't count as scans. */
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148';

// It doesn't retry an endpoint that hung: a report within a minute is worth more than another attempt.
/** Sends the client's requests and records them. It stops when the user does or the time is over. */
export class Recorder {
  /** All requests, oldest first. */
  readonly exchanges: Exchange[] = [];
  /** Keys and signing secrets, which nothing may show. */
  readonly secrets: Set<string>;
  /** For the client. */
  readonly transport: Transport;
  readonly #options: RecorderOptions;
  readonly #hanging = new Set<string>();
  #deadline: number;
  #stop: AbortSignal | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.secrets = new Set([options.apiKey]);
    this.#deadline = options.now() + options.totalMs;
    this.#stop = options.signal;
    this.transport = Object.assign((request: TransportRequest) => this.#send(request), {
      sleep: (ms: number, signal?: AbortSignal) => options.sleep(ms, this.#withStop(signal)),
    });
  }

  /** How long requests may still be sent, in milliseconds. */
  get leftMs(): number {
    return this.#deadline - this.#options.now();
  }

  /** Whether the user stopped the probe. */
  get isStopped(): boolean {
    return this.#stop?.aborted === true;
  }

  /** Whether the user stopped the probe, or its time is over. */
  get isOver(): boolean {
    return this.isStopped || this.leftMs <= 0;
  }

  /** Waits, unless the user stops the probe. */
  async sleep(ms: number): Promise<void> {
    await this.#options.sleep(Math.max(0, Math.min(ms, this.leftMs)), this.#stop).catch(() => undefined);
  }

  /** Allows requests for at least so long. */
  extend(ms: number): void {
    this.#deadline = Math.max(this.#deadline, this.#options.now() + ms);
  }

  /** Sends requests although the user stopped the probe: what was created is removed. */
  ignoreStop(): void {
    this.#stop = undefined;
  }

  /** Opens a URL as a phone does, without the key and without following a redirect. Undefined without a response. */
  async visit(
    url: string,
    headers: Record<string, string> = { Accept: 'text/html', 'User-Agent': PHONE },
  ): Promise<{ status: number; location: string | undefined } | undefined> {
    const request = { method: 'GET', url, headers, responseType: 'bytes', timeoutMs: REQUEST_MS } as const;
    const response = await this.#send(request).catch(() => undefined);
    return response && { status: response.status, location: locationOf(response) };
  }

  /** A text without keys and secrets, on one line. */
  safe(text: string, longest = 1000): string {
    return showText(this.#redact(text), longest);
  }

  async #send(request: TransportRequest): Promise<TransportResponse> {
    const { now, transport } = this.#options;
    const endpoint = endpointOf(request);
    if (this.#hanging.has(endpoint)) throw hung(endpoint, true);
    if (this.isOver) throw new TransportError('The probe is over.', { code: 'deadline', unsent: true });
    const sentAt = now();
    const timeoutMs = Math.min(request.timeoutMs, REQUEST_MS, this.leftMs);
    const signal = this.#withStop(request.signal);
    let response: TransportResponse;
    try {
      response = await transport({
        ...request,
        responseType: 'bytes',
        timeoutMs,
        ...(signal !== undefined && { signal }),
      });
    } catch (error) {
      const kind = isTransportError(error) ? error.code : 'failed';
      this.#record(request, sentAt, `no response (${kind})`);
      if (kind !== 'timeout') throw error;
      this.#hanging.add(endpoint);
      throw hung(endpoint, false);
    }
    const { status, body } = response;
    const location = locationOf(response);
    this.#record(request, sentAt, location === undefined ? '' : ` to ${location}`, status);
    if (status < 400) return response;
    // Before anyone shortens a message, as half a secret is still a secret.
    return { ...response, body: Buffer.from(this.#redact(new TextDecoder().decode(body as Uint8Array))) };
  }

  #record({ method, url }: TransportRequest, sentAt: number, note: string, status?: number): void {
    const path = pathOf(url);
    const took = Math.round(this.#options.now() - sentAt);
    const line = this.safe(`${method} ${path} → ${status ?? ''}${note}, ${took} ms`, 300);
    this.exchanges.push({ path, line, ...(status !== undefined && { status }) });
  }

  #redact(text: string): string {
    return [...this.secrets].reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  }

  #withStop(signal: AbortSignal | undefined): AbortSignal | undefined {
    return signal === undefined || this.#stop === undefined
      ? (signal ?? this.#stop)
      : AbortSignal.any([signal, this.#stop]);
  }
}

const pathOf = (url: string) => url.split(API_PATH, 2)[1] ?? url;

/** Method and path of a request, without IDs and the query. */
function endpointOf({ method, url }: TransportRequest): string {
  const [path = ''] = pathOf(url).split('?');
  return `${method} ${path.replace(/^\/(qr|webhooks)\/[^/]+/, '/$1/{id}')}`;
}

/** Not a `timeout`, which the client would retry. */
function hung(endpoint: string, unsent: boolean): TransportError {
  const message = `${endpoint} didn't respond within ${REQUEST_MS / 1000} s.`;
  return new TransportError(message, { code: 'deadline', unsent });
}

/** Where a response redirects to. Undici's names of headers are in lower case. */
function locationOf({ headers }: TransportResponse): string | undefined {
  return [headers['location']].flat()[0];
}
