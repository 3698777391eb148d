import type { ErrorCode } from '../contract/errorCodes.ts';

/** Why there is no usable response. `timeout`: the request's or the call's own limit; `deadline`: the platform's. */
export type TransportFailure = 'timeout' | 'deadline' | 'network' | 'certificate' | 'aborted' | 'redirect';

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

/** Codes of a `ParameterError`. */
export type ParameterErrorCode =
  | 'invalid_input'
  | 'validation_failed'
  | 'not_found'
  | 'search_limit'
  | 'ambiguous_name'
  | 'archived'
  | 'conflicting_rows'
  | 'not_listed'
  | 'renamed';

/**
 * Every known code: the service's documented codes (docs/api.md#errors), `http_` and the status for an error without a
 * code, the kinds of a `TransportError`, the reasons of a `WebhookVerificationError`, those of a `ParameterError`, and:
 *
 * - `unreadable_response`: the response isn't in a known form
 * - `repeated_cursor`: a list returned the same cursor twice
 * - `not_published`: a code was created, but not published
 * - `not_visible`: a code was created, but the service doesn't find it
 * - `target_not_allowed`: the client's `allowedTargets` don't allow where a code would point; nothing was sent
 */
export type QrServiceErrorCode =
  | ErrorCode
  | `http_${number}`
  | TransportFailure
  | VerificationFailure
  | ParameterErrorCode
  | 'unreadable_response'
  | 'repeated_cursor'
  | 'not_published'
  | 'not_visible'
  | 'target_not_allowed';
