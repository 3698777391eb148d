import type { ErrorCode } from '../contract/errorCodes.ts';

/**
 * How a request failed before a response was read. `aborted`: the caller's signal ended it. `deadline`: the platform has
 * no time left for it, while `timeout` means that the limit of the request or the call has passed.
 */
export type TransportFailure =
  'timeout' | 'deadline' | 'network' | 'certificate' | 'aborted' | 'redirect' | 'too_large';

/** Why a delivery failed verification. */
export type VerificationFailure =
  | 'missing_secret'
  | 'invalid_input'
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch'
  | 'deprecated_scheme'
  | 'invalid_body';

/**
 * Codes of errors that are a `QrServiceError` and nothing more specific:
 *
 * - `invalid_input`: an option or an id can't be used; nothing was sent
 * - `unreadable_response`: the service responded in a form that is not known
 * - `repeated_cursor`: a list returned the same cursor twice
 * - `endless_list`: a list returned too many pages without a row
 */
export type CoreErrorCode = 'invalid_input' | 'unreadable_response' | 'repeated_cursor' | 'endless_list';

/**
 * Every known code: the documented ones of the service (API text, "Errors"), `http_` and the status of a
 * failure without a code, the kinds of a `TransportError`, the reasons of a `WebhookVerificationError` and the core's own.
 */
export type QrServiceErrorCode =
  ErrorCode | `http_${number}` | TransportFailure | VerificationFailure | CoreErrorCode;
