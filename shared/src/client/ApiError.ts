import type { ErrorCode } from '../contract/errorCodes.ts';
import { isQrServiceError, QrServiceError } from './QrServiceError.ts';

/** What an `ApiError` is made from. */
export interface ApiErrorFacts {
  status: number;
  code: ErrorCode | (string & {});
  /** The service's own words. */
  message: string;
  details?: Record<string, unknown>;
  /** For the service's support. */
  requestId?: string;
  /** Milliseconds to wait before another try. */
  retryAfterMs?: number;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  method: string;
  /** Path below the API's address, without query. */
  path: string;
}

/** The service answered with a failure (API text, "Errors"). Branch on `code`, never on `message`. */
export class ApiError extends QrServiceError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly details?: Record<string, unknown>;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  readonly retryable: boolean;
  readonly method: string;
  readonly path: string;

  constructor(facts: ApiErrorFacts) {
    super(facts.message, { code: facts.code });
    this.status = facts.status;
    this.retryable = facts.retryable;
    this.method = facts.method;
    this.path = facts.path;
    if (facts.details !== undefined) this.details = facts.details;
    if (facts.requestId !== undefined) this.requestId = facts.requestId;
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Whether a thrown value is an `ApiError`, of this copy of the core or another. */
export function isApiError(error: unknown): error is ApiError {
  return isQrServiceError(error) && error.name === 'ApiError';
}
