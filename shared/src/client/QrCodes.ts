import type { ImageFormat, Page, QrCode, QrCodeInput, RenderedImage } from '../contract/types.ts';
import { readHeader, type WireHeaders } from '../wire/headers.ts';
import { imageMimeType, readImageFormat } from '../wire/image.ts';
import { readQrCodePage } from '../wire/list.ts';
import { readQrCode } from '../wire/qrCode.ts';
import { replayMark } from '../wire/replayed.ts';
import { readServedAt } from '../wire/servedAt.ts';
import { readTime } from '../wire/time.ts';
import { omitUndefined } from '../json/omitUndefined.ts';
import { isObject } from '../json/values.ts';
import { unreadableResponse } from '../wire/unreadableResponse.ts';
import { isApiError } from '../errors/ApiError.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { isTransportError } from '../errors/TransportError.ts';
import { PageSize } from './pageSize.ts';
import { pathSegment } from './pathSegment.ts';
import type { CallOptions, RequestExecutor } from './RequestExecutor.ts';
import { endFeed, paginate, type Paginated } from './Paginated.ts';

/** Which codes to list. */
export interface QrCodeQuery {
  /**
   * Rows per page.
   * @default 100, or 50 if the service refuses that
   */
  limit?: number;
  /**
   * `nextCursor` of the previous page.
   * @default the first page
   */
  cursor?: string;
  /**
   * Only codes changed since this ISO 8601 UTC time.
   * @default all codes
   */
  updatedSince?: string;
}

/** Options of a creation. */
export interface CreateCallOptions extends CallOptions {
  /**
   * Called if the response may be the replay of an earlier one to the same Idempotency-Key, because it is marked as one
   * or older than the request: the code may have been changed or deleted since.
   * @default nothing is called
   */
  onReplayed?: () => void;
}

/** How to render a code. */
export interface RenderOptions {
  /**
   * File format of the image.
   * @default the service's choice
   */
  format?: ImageFormat;
  /**
   * Size of the image; the API text doesn't show its unit.
   * @default the service's choice
   */
  size?: number;
}

/** A code that was changed earlier than this before the response, in milliseconds, may not be new. */
const MAX_CREATION_MS = 2000;

/** QR codes (API text, "Endpoints"). */
export class QrCodes {
  readonly #executor: RequestExecutor;
  readonly #pageSize = new PageSize();

  constructor(executor: RequestExecutor) {
    this.#executor = executor;
  }

  /** Creates a code. Its short link doesn't work until it is published. */
  async create(input: QrCodeInput, { onReplayed, ...options }: CreateCallOptions = {}): Promise<QrCode> {
    const response = await this.#executor.send({ method: 'POST', path: '/qr', body: input }, options);
    const code = readQrCode(response.body) ?? throwUnexpected(response.body);
    if (replayMark(response.headers) !== undefined || isOld(code, response.headers)) onReplayed?.();
    return code;
  }

  /** Fetches a code by its ID. */
  async get(id: string, options?: CallOptions): Promise<QrCode> {
    const response = await this.#executor.send({ method: 'GET', path: codePath(id) }, options);
    return readQrCode(response.body) ?? throwUnexpected(response.body);
  }

  /** Lists all matching codes. Rows neither repeat nor disappear if records change in the meantime. */
  list(query: QrCodeQuery = {}, options?: CallOptions): Paginated<QrCode> {
    return paginate((cursor, signal) => this.listPage(pageQuery(query, cursor), { ...options, signal }), {
      cursor: query.cursor,
      signal: options?.signal,
    });
  }

  /** Fetches one page of codes. */
  async listPage(query: QrCodeQuery = {}, options?: CallOptions): Promise<Page<QrCode>> {
    const { cursor, updatedSince } = query;
    const shared = this.#executor.share(options);
    return this.#pageSize.fetch(query.limit, async (limit) => {
      const call = { method: 'GET', path: '/qr', query: { limit, cursor, updatedSince } } as const;
      const { headers, body } = await this.#executor.send(call, shared());
      const { rows, nextCursor } = readQrCodePage(body);
      const page: Page<QrCode> = {
        rows: rows as QrCode[],
        ...omitUndefined({ nextCursor, servedAt: readServedAt(headers) }),
      };
      return endFeed(page, cursor);
    });
  }

  /**
   * Publishes a code so that its short link works, and returns the updated code. If the response doesn't contain the
   * code and the key lacks the scope to read it, only the ID and the response's own fields are set.
   */
  async publish(id: string, options?: CallOptions): Promise<QrCode> {
    const shared = this.#executor.share(options);
    const response = await this.#executor.send({ method: 'POST', path: `${codePath(id)}/publish` }, shared());
    return this.#changed(response.body, id, shared());
  }

  /**
   * Updates the destination of a dynamic code without reprinting it, and returns the updated code. If the response
   * doesn't contain the code and the key lacks the scope to read it, only the ID and the response's own fields are set.
   */
  async retarget(id: string, url: string, options?: CallOptions): Promise<QrCode> {
    const call = { method: 'POST', path: `${codePath(id)}/destination`, body: { url } } as const;
    const shared = this.#executor.share(options);
    const response = await this.#executor.send(call, shared());
    return this.#changed(response.body, id, shared());
  }

  /** The code after a write: from the response, or else fetched, or else as much of it as is known. */
  async #changed(body: unknown, id: string, options: CallOptions): Promise<QrCode> {
    const code = this.#codeIn(body, id);
    if (code !== undefined) return code;
    try {
      return await this.get(id, withoutIdempotencyKey(options));
    } catch (error) {
      if (isTransportError(error)) error.unsent = false;
      // The write succeeded: a key without the scope to read the code isn't an error.
      if (!isApiError(error) || error.code !== 'insufficient_scope' || error.intermediary !== undefined)
        throw error;
      const isAboutCode = isObject(body) && (body['id'] === undefined || body['id'] === id);
      return { ...(isAboutCode ? body : {}), id } as QrCode;
    }
  }

  /** The code in a response, if it is the requested one and not, for example, a job. */
  #codeIn(body: unknown, id: string): QrCode | undefined {
    const code = readQrCode(body);
    return code?.id === id ? code : undefined;
  }

  /** Renders a code as an image file. */
  async render(id: string, render: RenderOptions = {}, options?: CallOptions): Promise<RenderedImage> {
    const { format: wanted, size } = render;
    const call = {
      method: 'GET',
      path: `${codePath(id)}/image`,
      query: { format: wanted, size },
      responseType: 'bytes',
    } as const;
    const response = await this.#executor.send(call, options);
    const body = response.body as Uint8Array;
    const format = readImageFormat(readHeader(response.headers, 'Content-Type'), body);
    if (wanted !== undefined && format !== wanted)
      throw new QrServiceError(
        `Expected ${wanted.toUpperCase()}, but got ${format.toUpperCase()} (${body.length} bytes).`,
        { code: 'unreadable_response' },
      );
    return { body, contentType: imageMimeType(format), fileName: `${safeName(id)}.${format}`, format };
  }
}

function codePath(id: string): string {
  return `/qr/${pathSegment(id, 'QR code ID')}`;
}

function throwUnexpected(body: unknown): never {
  throw unreadableResponse('a QR code', body);
}

/** Whether a code was last changed well before the response. A new one wasn't; without a `Date`, nobody knows. */
function isOld({ updatedAt }: QrCode, headers: WireHeaders): boolean {
  return (readServedAt(headers) ?? NaN) - (readTime(updatedAt) ?? NaN) > MAX_CREATION_MS;
}

function pageQuery(query: QrCodeQuery, cursor: string | undefined): QrCodeQuery {
  const { cursor: _first, ...rest } = query;
  return cursor === undefined ? rest : { ...rest, cursor };
}

/** Only writes have an idempotency key. */
function withoutIdempotencyKey(options: CallOptions): CallOptions {
  const { idempotencyKey: _key, ...rest } = options;
  return rest;
}

function safeName(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_');
}
