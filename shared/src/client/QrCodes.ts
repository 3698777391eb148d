import type { ImageFormat, Page, QrCode, QrCodeInput, RenderedImage } from '../contract/types.ts';
import { isApiError, isTransportError } from '../errors/guards.ts';
import { isObject, omitUndefined } from '../json/json.ts';
import { readServedAt } from '../wire/headers.ts';
import { IMAGE_MIME_TYPES, readImageFormat } from '../wire/image.ts';
import { readQrCodePage } from '../wire/list.ts';
import { readQrCode, unreadableResponse } from '../wire/record.ts';
import { readTime } from '../wire/time.ts';
import type { AllowedTargets } from './AllowedTargets.ts';
import { pathSegment } from './buildRequest.ts';
import { fileStem } from './fileStem.ts';
import { endFeed, paginate, type Paginated } from './Paginated.ts';
import type { ApiResponse } from './readResponse.ts';
import type { CallOptions, RequestExecutor } from './RequestExecutor.ts';

/** Which codes to list. */
export interface QrCodeQuery {
  /** Rows per page. Default: 100, or 50 if the service refuses that. */
  limit?: number;
  /** `nextCursor` of the previous page. Default: the first page. */
  cursor?: string | undefined;
  /** Only codes changed since this ISO 8601 UTC time. Default: all codes. */
  updatedSince?: string;
}

/** Options of a creation. */
export interface CreateCallOptions extends CallOptions {
  /** Called if the response may be a replay, so that the code may have changed since (docs/api.md#idempotency). Default: none. */
  onReplay?: () => void;
}

/** How to render a code. */
export interface RenderOptions {
  /** File format of the image. Default: the service's choice. */
  format?: ImageFormat;
  /** Size of the image, in the service's own unit (docs/api.md#images). Default: the service's choice. */
  size?: number;
}

/** A code that was changed earlier than this before the response, in milliseconds, may not be new. */
const MAX_CREATION_MS = 2000;

const FALLBACK_ROWS = 50;

/** QR codes (docs/api.md#qr-codes). */
export class QrCodes {
  readonly #executor: RequestExecutor;
  readonly #allowed: AllowedTargets;
  /** Rows to request per page: neither a default nor a maximum is documented (docs/api.md#lists). */
  #pageRows = 100;

  constructor(executor: RequestExecutor, allowed: AllowedTargets) {
    this.#executor = executor;
    this.#allowed = allowed;
  }

  /** Whether the client's `allowedTargets` limit where codes may point. */
  get hasAllowedTargets(): boolean {
    return this.#allowed.isLimiting;
  }

  /** Throws `target_not_allowed` if the client's `allowedTargets` don't allow a URL, as `create` and `retarget` do. */
  checkTarget(url: string): void {
    this.#allowed.check(url);
  }

  /** Creates a code. Its short link doesn't work until it is published. */
  async create(input: QrCodeInput, { onReplay, ...options }: CreateCallOptions = {}): Promise<QrCode> {
    const body = this.#creation(input);
    const call = { method: 'POST', path: '/qr', body, creates: input.name } as const;
    return this.#executor.send(call, options, (response) => {
      const code = readCode(response);
      // If the service's clocks differ, or without a `Date`, nobody knows.
      const age = (readServedAt(response.headers) ?? NaN) - (readTime(code.updatedAt) ?? NaN);
      if (!(Math.abs(age) < MAX_CREATION_MS)) onReplay?.();
      return code;
    });
  }

  #creation(input: QrCodeInput) {
    const { name } = input;
    if (input.content !== undefined) {
      const { mode, contentType, content } = input;
      return { name, mode, contentType, content: this.#allowed.checkContent(content) };
    }
    const targetUrl = this.#allowed.check(input.targetUrl);
    return { name, mode: 'dynamic', contentType: 'url', content: { targetUrl } };
  }

  /** Fetches a code by its ID. */
  async get(id: string, options?: CallOptions): Promise<QrCode> {
    return this.#executor.send({ method: 'GET', path: codePath(id) }, options, readCode);
  }

  /** Lists all matching codes. Rows neither repeat nor disappear if records change in the meantime. */
  list(query: QrCodeQuery = {}, options?: CallOptions): Paginated<QrCode> {
    return paginate((page, call) => this.listPage(page, call), query, options);
  }

  /** Fetches one page of codes. */
  async listPage(query: QrCodeQuery = {}, options?: CallOptions): Promise<Page<QrCode>> {
    const shared = this.#executor.withDeadline(options);
    const fetchPage = (limit: number) => {
      const call = { method: 'GET', path: '/qr', query: { ...query, limit } } as const;
      return this.#executor.send(call, shared, ({ headers, body }) => {
        const page = { ...readQrCodePage(body), ...omitUndefined({ servedAt: readServedAt(headers) }) };
        return endFeed(page, query.cursor);
      });
    };
    const { limit = this.#pageRows } = query;
    try {
      return await fetchPage(limit);
    } catch (error) {
      // The shape of `details` isn't documented, so any 422 except for the cursor may be about the limit.
      const isRefused = isApiError(error) && error.status === 422 && error.code !== 'invalid_cursor';
      if (query.limit !== undefined || limit === FALLBACK_ROWS || !isRefused) throw error;
      const page = await fetchPage(FALLBACK_ROWS);
      this.#pageRows = FALLBACK_ROWS;
      return page;
    }
  }

  /**
   * Publishes a code so that its short link works, and returns the updated code. If the response doesn't contain the code
   * and it can't be read, only the ID and the response's own fields are set.
   */
  async publish(id: string, options?: CallOptions): Promise<QrCode> {
    const { code, isRead } = await this.#write(id, 'publish', undefined, options);
    // A read may be late: a draft proves nothing. But publishing isn't documented to restore an archived code.
    const { status, ...rest } = code;
    return isRead && status !== 'published' && status !== 'archived' ? (rest as QrCode) : code;
  }

  /** Updates the destination of a dynamic code without reprinting it, and returns the updated code, as `publish` does. */
  async retarget(id: string, url: string, options?: CallOptions): Promise<QrCode> {
    const body = { url: this.#allowed.check(url) };
    const { code } = await this.#write(id, 'destination', body, options);
    return code;
  }

  /** Changes a code, and reads it if the response contains something else, such as a job. */
  async #write(id: string, action: 'publish' | 'destination', input: unknown, options?: CallOptions) {
    const shared = this.#executor.withDeadline(options);
    const call = { method: 'POST', path: `${codePath(id)}/${action}`, body: input } as const;
    const body = await this.#executor.send(call, shared, (response) => response.body);
    const code = readQrCode(body);
    if (code?.id === id) return { code, isRead: false };
    try {
      return { code: await this.get(id, shared), isRead: true };
    } catch (error) {
      if (isTransportError(error) && error.code === 'aborted') throw error;
      const isAboutCode = isObject(body) && (body['id'] === undefined || body['id'] === id);
      return { code: { ...(isAboutCode ? body : {}), id } as QrCode, isRead: true };
    }
  }

  /** Renders a code as an image file. */
  async render(id: string, render: RenderOptions = {}, options?: CallOptions): Promise<RenderedImage> {
    const { format: requested, size } = render;
    const path = `${codePath(id)}/image`;
    const call = { method: 'GET', path, query: { format: requested, size }, responseType: 'bytes' } as const;
    return this.#executor.send(call, options, (response) => {
      const body = response.body as Uint8Array;
      const format = readImageFormat(response.headers, body, requested);
      return { body, contentType: IMAGE_MIME_TYPES[format], fileName: `${fileStem(id)}.${format}`, format };
    });
  }
}

function codePath(id: string): string {
  return `/qr/${pathSegment(id, 'QR code ID')}`;
}

function readCode({ body }: ApiResponse): QrCode {
  const code = readQrCode(body);
  if (code === undefined) throw unreadableResponse('a QR code', body);
  return code;
}
