import { randomUUID } from 'node:crypto';
import {
  isApiError,
  isTransportError,
  type ApiError,
  type AuthHeader,
  type RateLimit,
  type Sleep,
  type Transport,
} from '@qr-service/core';
import {
  authHeader,
  readApiKey,
  readBaseUrl,
  readHeader,
  readHeaderPrefix,
  RESPONSE_LIMITS,
} from '@qr-service/core/connector';
import { parseJson, type Exchange, type ProbeRequest } from './Exchange.ts';
import type { Ledger } from './Ledger.ts';
import { readWithCore } from './readWithCore.ts';

/** Options of a `Connection`. */
interface ConnectionOptions {
  baseUrl: string;
  apiKey: string;
  authHeader?: AuthHeader | undefined;
  headerPrefix?: string | undefined;
  transport: Transport;
  ledger: Ledger;
  userAgent?: string | undefined;
  signal?: AbortSignal | undefined;
  now: () => number;
  sleep: Sleep;
}

/** The probe sends nothing more: the service asks for a longer wait than the probe allows. */
export class RateLimitedError extends Error {
  /** Status of the refusal; undefined if the probe stopped before the service refused anything. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** An endpoint that hung isn't asked again: a report within a minute is worth more than a second look. */
export class Hanging extends Error {}

/** As the connector's own. */
const TIMEOUT_MS = 30_000;
/** An endpoint hangs if it fails after this long, whether a proxy says so or nobody does. */
const HANGING_MS = 10_000;
/** Visits of bots don't count as scans. */
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
/** Attempts of a request that can be sent again. */
const ATTEMPTS = 3;
const RETRY_MS = 500;
/** How long the probe waits for the rate limit, in total. */
const MAX_WAIT_MS = 75_000;
/** Part of the rate limit that stays free for others. */
const RESERVE = 0.2;

/**
 * Sends requests one after the other, and records them. Stays under the rate limit: it waits for the next window before
 * the current one is used up.
 */
export class Connection {
  /** All requests that got a response, oldest first. */
  readonly exchanges: Exchange[] = [];
  /** Header that contains the key. */
  readonly authHeader: AuthHeader;
  readonly headerPrefix: string;
  readonly host: string;
  /** What was created, and what nothing may show. */
  readonly ledger: Ledger;
  readonly #transport: Transport;
  readonly #options: ConnectionOptions;
  readonly #baseUrl: string;
  readonly #apiKey: string;
  /** The rate limit of the user's key. */
  #rateLimit: RateLimit | undefined;
  #waitedMs = 0;
  readonly #hanging = new Set<string>();

  /** @throws QrServiceError `invalid_input` for an invalid option */
  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#baseUrl = readBaseUrl(options.baseUrl);
    this.#apiKey = readApiKey(options.apiKey);
    this.headerPrefix = readHeaderPrefix(options.headerPrefix);
    this.authHeader = options.authHeader ?? 'authorization';
    this.ledger = options.ledger;
    this.ledger.secrets.add(this.#apiKey);
    this.#transport = this.ledger.watch(options.transport);
    this.host = new URL(this.#baseUrl).host;
  }

  get now(): () => number {
    return this.#options.now;
  }

  /** Keys and secrets, which nothing may show. */
  get secrets(): ReadonlySet<string> {
    return this.ledger.secrets;
  }

  /** @throws the signal's reason when it aborts */
  async sleep(ms: number): Promise<void> {
    await this.#options.sleep(ms, this.#options.signal);
  }

  /**
   * Sends a request, and again after a failure that may be temporary, with the same Idempotency-Key as the connector does.
   * @throws TransportError without a response
   * @throws Hanging if an earlier request to the same endpoint hung
   * @throws RateLimitedError if the service asks for a longer wait than the probe allows
   * @throws the signal's reason when it aborts
   */
  async send(request: ProbeRequest): Promise<Exchange> {
    return this.#send(request, this.#options.signal);
  }

  /** The same, even after the signal: removes what was created. */
  async sendLast(request: ProbeRequest): Promise<Exchange> {
    return this.#send(request, undefined);
  }

  /**
   * Opens a short link as a phone does, without the key and without following the redirect.
   * @returns undefined without a response
   */
  async visit(url: string): Promise<{ status: number; location: string | undefined } | undefined> {
    try {
      const { status, headers } = await this.#transport({
        method: 'GET',
        url,
        headers: { Accept: 'text/html', 'User-Agent': PHONE },
        responseType: 'bytes',
        timeoutMs: TIMEOUT_MS,
        maxBytes: RESPONSE_LIMITS.jsonBytes,
        ...(this.#options.signal !== undefined && { signal: this.#options.signal }),
      });
      return { status, location: readHeader(headers, 'Location') };
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      if (isTransportError(error)) return undefined;
      throw error;
    }
  }

  async #send(request: ProbeRequest, signal: AbortSignal | undefined): Promise<Exchange> {
    const endpoint = endpointOf(request);
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      if (this.#hanging.has(endpoint)) throw new Hanging(`${endpoint} didn't respond in time.`);
      await this.#waitForWindow(request, signal);
      const sentAt = this.now();
      const isHanging = () => this.now() - sentAt >= HANGING_MS;
      try {
        const exchange = await this.#attempt(request, signal);
        const error = await failureOf(exchange, this.now);
        if (error?.status === 429 || (error?.status === 503 && error.retryAfterMs !== undefined)) {
          if (attempt >= ATTEMPTS)
            throw new RateLimitedError('The service refused the same request several times.', error.status);
          const waitMs = Math.max(error.retryAfterMs ?? RETRY_MS * 2 ** attempt, 100);
          await this.#wait(waitMs, signal, error.status);
          continue;
        }
        const isTemporary = error?.code === 'idempotency_in_progress' || (error?.status ?? 0) >= 500;
        if (!isTemporary || error?.status === 501) return exchange;
        if (isHanging()) this.#hanging.add(endpoint);
        if (attempt >= ATTEMPTS || isHanging()) return exchange;
      } catch (error) {
        signal?.throwIfAborted();
        if (isHanging()) this.#hanging.add(endpoint);
        const isTemporary = isTransportError(error) && error.kind === 'network' && !isHanging();
        if (!isTemporary || attempt >= ATTEMPTS) throw error;
      }
      await this.#options.sleep(RETRY_MS * 2 ** attempt, signal);
    }
  }

  async #attempt(request: ProbeRequest, signal: AbortSignal | undefined): Promise<Exchange> {
    const { method, path, query = {}, body, isImage } = request;
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const sentAt = this.now();
    const response = await this.#transport({
      method,
      url: `${this.#baseUrl}${path}${search === '' ? '' : `?${search}`}`,
      headers: this.#headers(request),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      responseType: 'bytes',
      timeoutMs: TIMEOUT_MS,
      maxBytes: isImage === true ? RESPONSE_LIMITS.imageBytes : RESPONSE_LIMITS.jsonBytes,
      ...(signal !== undefined && { signal }),
    });
    const bytes = response.body as Uint8Array;
    const isText = isImage !== true || response.status >= 300;
    const text = isText ? new TextDecoder().decode(bytes) : '';
    const { status, headers } = response;
    const exchange: Exchange = {
      request,
      status,
      headers,
      bytes,
      text,
      json: parseJson(text),
      sentAt,
      receivedAt: this.now(),
    };
    this.exchanges.push(exchange);
    if (request.otherKey === undefined)
      this.#rateLimit = (await rateLimitOf(exchange, this.now)) ?? this.#rateLimit;
    return exchange;
  }

  #headers({ body, idempotencyKey, auth, otherKey, isImage }: ProbeRequest): Record<string, string> {
    const [name, value] = authHeader({
      apiKey: otherKey ?? this.#apiKey,
      authHeader: auth ?? this.authHeader,
      headerPrefix: this.headerPrefix,
    });
    const { userAgent } = this.#options;
    return {
      [name]: value,
      Accept: isImage === true ? '*/*' : 'application/json',
      ...(userAgent !== undefined && { 'User-Agent': userAgent }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    };
  }

  async #waitForWindow({ otherKey }: ProbeRequest, signal: AbortSignal | undefined): Promise<void> {
    const window = this.#rateLimit;
    if (window === undefined || otherKey !== undefined) return;
    const waitMs = window.resetAt - this.now();
    const reserve = Math.max(1, Math.ceil(window.limit * RESERVE));
    if (window.remaining > reserve || waitMs <= 0) return;
    await this.#wait(waitMs, signal);
    this.#rateLimit = undefined;
  }

  async #wait(ms: number, signal: AbortSignal | undefined, refusedWith?: number): Promise<void> {
    this.#waitedMs += ms;
    if (this.#waitedMs > MAX_WAIT_MS)
      throw new RateLimitedError(
        refusedWith === undefined
          ? 'The rate limit is nearly used up, by the probe or by others with the same key, and the next window is too far away.'
          : 'The service refused a request, and asks for a longer wait than the probe allows.',
        refusedWith,
      );
    await this.#options.sleep(ms, signal);
  }
}

/** Method and path of a request, without IDs. */
export function endpointOf({ method, path }: Pick<ProbeRequest, 'method' | 'path'>): string {
  return `${method} ${path.replace(/^\/(qr|webhooks)\/[^/]+/, '/$1/*')}`;
}

/** A new Idempotency-Key. */
export function newIdempotencyKey(): string {
  return `qr-service-probe-${randomUUID()}`;
}

/** The connector's error for a response; undefined for a 2xx. Redirects have none either. */
export async function failureOf(exchange: Exchange, now: () => number): Promise<ApiError | undefined> {
  if (exchange.status < 400) return undefined;
  const error: unknown = await readWithCore([exchange], now)
    .me()
    .catch((thrown: unknown) => thrown);
  return isApiError(error) ? error : undefined;
}

/** The rate limit as the connector reads it from a response. */
export async function rateLimitOf(exchange: Exchange, now: () => number): Promise<RateLimit | undefined> {
  const client = readWithCore([exchange], now);
  await client.me().catch(() => undefined);
  return client.rateLimit;
}
