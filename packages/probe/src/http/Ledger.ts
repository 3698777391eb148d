import { TextDecoder, TextEncoder } from 'node:util';
import {
  isApiError,
  isTransportError,
  type QrCode,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WireHeaders,
} from '@qr-service/core';
import { API_PATH, isOwnError, readSubscription } from '@qr-service/core/connector';
import type { LeftBehind } from '../findings/ProbeReport.ts';
import { parseJson } from './Exchange.ts';
import { readWithCore } from './readWithCore.ts';
import { mapTexts, redactor, unknownTexts } from './redact.ts';

type Received = { status: number; headers: WireHeaders; bytes: Uint8Array };
/**
 * What the probe's writes created, or may have created: each is entered before it is sent. Only the service's own refusal
 * or a removal that was seen takes it out. It also collects what nothing may show.
 */
export class Ledger {
  /** Keys, and all that a new subscription's response contains and that could be its signing secret. */
  readonly secrets = new Set<string>();
  /** Whether anything was sent that creates something. */
  hasWritten = false;
  /** How many requests were sent, including those without a response. */
  requests = 0;
  readonly #entries = new Set<LeftBehind>();
  readonly #headers = new Set<string>();

  /** What is left, then what may be left: the same search finds what other attempts of a request may have created. */
  get left(): LeftBehind[] {
    const all = [...this.#entries].toSorted((one, other) => Number(!one.id) - Number(!other.id));
    const isFirst = ({ what, search }: LeftBehind, at: number) =>
      all.findIndex((other) => other.what === what && other.search === search) === at;
    const shown = all.filter((entry, at) => entry.id !== undefined || isFirst(entry, at));
    return mapTexts(shown, redactor(this.secrets));
  }

  /** A transport whose writes are entered, and whose error responses contain no secret. */
  watch(transport: Transport): Transport {
    const send = async (request: TransportRequest): Promise<TransportResponse> => {
      this.requests++;
      const entry = this.#enter(request);
      const response = await transport({ ...request, responseType: 'bytes' }).catch((error: unknown) => {
        if (entry !== undefined && request.method === 'POST' && isTransportError(error) && error.unsent)
          this.#entries.delete(entry);
        throw error;
      });
      const received = { ...response, bytes: response.body as Uint8Array };
      if (entry !== undefined) await this.#settle(entry, request, received);
      for (const value of Object.values(response.headers)) this.#headers.add(String(value));
      // Before anyone shortens a message, as half a secret is still a secret.
      return response.status < 400 ? response : { ...response, body: this.#withoutSecrets(received.bytes) };
    };
    return Object.assign(send, transport);
  }

  /**
   * Finds what may be left among the codes that the service lists.
   * @returns whether it lists more than were sent
   */
  identify(rows: readonly Partial<QrCode>[]): boolean {
    let hasMore = false;
    for (const { id, name, publicUrl } of rows) {
      const sent = this.#find(({ what, search }) => what === 'code' && search === name);
      if (id === undefined || sent === undefined || this.#withId('code', id) !== undefined) continue;
      const open = this.#find(
        (entry) => entry.what === 'code' && entry.id === undefined && entry.search === name,
      );
      const entry: LeftBehind = open ?? { what: 'code', state: 'is left', search: sent.search };
      this.#entries.add(entry);
      this.#know(entry, id, publicUrl);
      hasMore ||= open === undefined;
    }
    return hasMore;
  }

  /** Whatever becomes of a write, it may be carried out. */
  #enter({ method, url, body = '{}' }: TransportRequest): LeftBehind | undefined {
    const path = pathOf(url);
    if (method === 'DELETE') {
      const entry = this.#withId('subscription', decodeURIComponent(path.replace('/webhooks/', '')));
      return entry && Object.assign(entry, { state: 'may be left' });
    }
    if (method !== 'POST' || (path !== '/qr' && path !== '/webhooks')) return undefined;
    const sent = JSON.parse(body) as { name?: string; url?: string };
    const what = path === '/qr' ? 'code' : 'subscription';
    const entry: LeftBehind = { what, state: 'may be left', search: sent.name ?? sent.url ?? '' };
    this.hasWritten = true;
    this.#entries.add(entry);
    return entry;
  }

  async #settle(
    entry: LeftBehind,
    { method, url, body = '' }: TransportRequest,
    received: Received,
  ): Promise<void> {
    const client = readWithCore([received]);
    if (method === 'DELETE') {
      const result = await client.webhooks.unsubscribe(entry.id ?? '').catch(() => undefined);
      // 202: it was accepted, and nobody has seen it done.
      if (result === 'removed' && received.status !== 202) this.#entries.delete(entry);
      // "No such subscription" may also come from a server that doesn't know the new one yet.
      else if (result === 'unsupported' || (result === undefined && (await isRefused(received))))
        entry.state = 'is left';
    } else if (received.status >= 300) {
      if (await isRefused(received)) this.#entries.delete(entry);
    } else if (entry.what === 'subscription') this.#noteSubscription(entry, received, [url, body]);
    else {
      const input = { name: 'any', mode: 'dynamic', contentType: 'url', content: {} };
      const code = await client.qr.create(input).catch(() => undefined);
      if (code !== undefined) this.#know(entry, code.id, code.publicUrl);
    }
  }

  #noteSubscription(entry: LeftBehind, received: Received, sent: readonly string[]): void {
    const text = new TextDecoder().decode(received.bytes);
    const id = readSubscription(parseJson(text))?.id ?? '';
    // What other responses had, too, such as the server's name, isn't new.
    const values = Object.values(received.headers)
      .map(String)
      .filter((value) => !this.#headers.has(value));
    for (const secret of unknownTexts({ text, values, known: [id, ...sent] })) this.secrets.add(secret);
    if (id !== '') this.#know(entry, id);
  }

  #find(matches: (entry: LeftBehind) => boolean): LeftBehind | undefined {
    return [...this.#entries].find(matches);
  }

  #withId(what: LeftBehind['what'], id: string): LeftBehind | undefined {
    return this.#find((entry) => entry.what === what && entry.id === id);
  }

  #know(entry: LeftBehind, id: string, url?: unknown): void {
    // A replay of the response that created it.
    if (this.#withId(entry.what, id) !== undefined) this.#entries.delete(entry);
    else
      Object.assign(entry, { state: 'is left', id, ...(typeof url === 'string' && url !== '' && { url }) });
  }

  #withoutSecrets(bytes: Uint8Array): Uint8Array {
    const text = new TextDecoder().decode(bytes);
    const safe = redactor(this.secrets)(text);
    return safe === text ? bytes : new TextEncoder().encode(safe);
  }
}

const pathOf = (url: string) => new URL(url).pathname.split(API_PATH).at(-1) ?? '';

/** Whether the service itself refused a request, so that it did nothing. */
async function isRefused(received: Received): Promise<boolean> {
  const error: unknown = await readWithCore([received])
    .me()
    .catch((thrown: unknown) => thrown);
  // Like the core: 408 says nothing about what was done, and another attempt may still run.
  if (isApiError(error) && error.code === 'idempotency_in_progress') return false;
  return received.status < 500 && received.status !== 408 && isOwnError(error, received.status);
}
