import type { ErrorCode } from '../contract/errorCodes.ts';
import { explainFailure } from './explain.ts';
import { isQrServiceError, QrServiceError } from './QrServiceError.ts';

/** What an `ApiError` is created from. */
export interface ApiErrorInit {
  /** HTTP status. */
  status: number;
  /** The service's code, else `http_` and the status. */
  code: ErrorCode | (string & {});
  /** The service's own words. */
  message: string;
  /** What the service adds. */
  details?: Record<string, unknown>;
  /** For the service's support. */
  requestId?: string;
  /** Milliseconds to wait before another try. */
  retryAfterMs?: number;
  /** What responded in the service's place. */
  intermediary?: string;
  /** Whether the response is marked as the replay of an earlier one. */
  replayed?: boolean;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** HTTP method of the request. */
  method: string;
  /** Path below the API's address, without query. */
  path: string;
}

/**
 * The service responded with an error (API text, "Errors"). Branch on `code`, never on `message`, which tells people what
 * happened and what to do.
 */
export class ApiError extends QrServiceError {
  override readonly name = 'ApiError';
  /** Stable string to branch on; the service may add codes. */
  declare readonly code: ErrorCode | `http_${number}` | (string & {});
  /** The service's own words. */
  readonly serviceMessage: string;
  /** HTTP status. */
  readonly status: number;
  /** What the service adds, of a shape that the API text shows for `insufficient_scope` only. */
  readonly details?: Record<string, unknown>;
  /** For the service's support. */
  readonly requestId?: string;
  /** Milliseconds to wait before another try, where the service names a time. */
  readonly retryAfterMs?: number;
  /**
   * Set only if something between here and the service, such as a proxy or a firewall, responded in its place: what its
   * headers say about it. Such a failure says nothing about the key or the record.
   */
  readonly intermediary?: string;
  /** Set only if the service marked its response as the replay of an earlier one to the same Idempotency-Key. */
  readonly replayed?: true;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** HTTP method of the request. */
  readonly method: string;
  /** Path below the API's address, without query. */
  readonly path: string;

  constructor(facts: ApiErrorInit) {
    const { message, description } = explainFailure(facts);
    super(`${message} ${description}`.trim(), { code: facts.code });
    this.serviceMessage = facts.message;
    this.status = facts.status;
    this.retryable = facts.retryable;
    this.method = facts.method;
    this.path = facts.path;
    if (facts.details !== undefined) this.details = facts.details;
    if (facts.requestId !== undefined) this.requestId = facts.requestId;
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
    if (facts.intermediary !== undefined) this.intermediary = facts.intermediary;
    if (facts.replayed === true) this.replayed = true;
  }
}

/**
 * Whether a thrown value is an `ApiError`, from this copy of the core or another.
 * @example
 * ```ts
 * import { isApiError } from '@qr-service/core';
 *
 * try {
 *   await client.qr.get('qr_of_yesterday');
 * } catch (error) {
 *   if (!isApiError(error) || error.code !== 'not_found') throw error;
 *   console.log(error.status); // 404
 * }
 * ```
 */
export function isApiError(error: unknown): error is ApiError {
  return isQrServiceError(error) && error.name === 'ApiError';
}
