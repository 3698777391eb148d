import type { ErrorCode } from '../contract/errorCodes.ts';
import { describeFailure, NEUTRAL_WORDS } from './explain.ts';
import { QrServiceError } from './QrServiceError.ts';
import { errorText } from './sentences.ts';

/** Input of the `ApiError` constructor. */
export interface ApiErrorInit {
  /** HTTP status. */
  status: number;
  /** The service's error code, or `http_` and the status if it sent none. */
  code: ErrorCode | (string & {});
  /** The service's own message. */
  message: string;
  /** Additional data from the service. */
  details?: Record<string, unknown>;
  /** Identifies the request for the service's support. */
  requestId?: string;
  /** Milliseconds to wait before a retry. */
  retryAfterMs?: number;
  /** What responded instead of the service. */
  intermediary?: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** HTTP method of the request. */
  method: string;
  /** Path below the API's base URL, without query. */
  path: string;
}

/**
 * The service responded with an error (API text, "Errors"). Branch on `code`, never on `message`: the message is for
 * people, and ends with the code and the request ID.
 */
export class ApiError extends QrServiceError {
  override readonly name = 'ApiError';
  /** Stable string to branch on; the service may add codes. */
  declare readonly code: ErrorCode | `http_${number}` | (string & {});
  /** The service's own message. */
  readonly serviceMessage: string;
  /** HTTP status. */
  readonly status: number;
  /** Additional data from the service. The API text shows its shape for `insufficient_scope` only. */
  readonly details?: Record<string, unknown>;
  /** Identifies the request for the service's support. */
  readonly requestId?: string;
  /** Milliseconds to wait before a retry, if the service says how long. */
  readonly retryAfterMs?: number;
  /**
   * Set only if something else responded instead of the service, such as a proxy or a firewall: what its headers say
   * about it. Such an error says nothing about the key or the record.
   */
  readonly intermediary?: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** HTTP method of the request. */
  readonly method: string;
  /** Path below the API's base URL, without query. */
  readonly path: string;

  constructor(init: ApiErrorInit) {
    super(errorText(describeFailure({ ...init, serviceMessage: init.message }, NEUTRAL_WORDS)), {
      code: init.code,
    });
    this.serviceMessage = init.message;
    this.status = init.status;
    this.retryable = init.retryable;
    this.method = init.method;
    this.path = init.path;
    if (init.details !== undefined) this.details = init.details;
    if (init.requestId !== undefined) this.requestId = init.requestId;
    if (init.retryAfterMs !== undefined) this.retryAfterMs = init.retryAfterMs;
    if (init.intermediary !== undefined) this.intermediary = init.intermediary;
  }
}
