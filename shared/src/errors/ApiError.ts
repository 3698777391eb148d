import type { ErrorCode } from '../contract/errorCodes.ts';
import { describeApiError, NEUTRAL_WORDS, type Failure } from './describeApiError.ts';
import { QrServiceError } from './QrServiceError.ts';
import { errorText } from './sentences.ts';

/** Input of the `ApiError` constructor: its properties, with the service's own message as `message`. */
export type ApiErrorInit = Omit<Failure, 'serviceMessage'> & { message: string };

/** The service responded with an error (docs/api.md#errors). Branch on `code`, never on `message`: that is for people. */
export class ApiError extends QrServiceError {
  override readonly name = 'ApiError';
  /** The service's error code, or `http_` and the status if it sent none. The service may add codes. */
  declare readonly code: ErrorCode | `http_${number}` | (string & {});
  /** The service's own message; may be empty. */
  declare readonly serviceMessage: string;
  declare readonly status: number;
  /** Additional data from the service. Its shape is documented for `insufficient_scope` only (docs/api.md#errors). */
  declare readonly details?: Record<string, unknown>;
  /** Identifies the request for the service's support. */
  declare readonly requestId?: string;
  /** Milliseconds to wait before a retry, if the service says how long. */
  declare readonly retryAfterMs?: number;
  /** Set if a proxy or a firewall responded instead: what its headers say. It proves nothing about the key or the record. */
  declare readonly intermediary?: string;
  declare readonly retryable: boolean;
  declare readonly method: string;
  /** Path below the API's base URL, without query. */
  declare readonly path: string;

  constructor(init: ApiErrorInit) {
    const { message: serviceMessage, ...facts } = init;
    super(errorText(describeApiError({ ...facts, serviceMessage }, NEUTRAL_WORDS)), { code: init.code });
    Object.assign(this, facts, { serviceMessage });
  }
}
