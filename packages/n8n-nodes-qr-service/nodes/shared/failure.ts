import { ExecutionBaseError, UserError, type Failure } from 'n8n-workflow';
import {
  isApiError,
  isOwnError,
  isQrServiceError,
  omitUndefined,
  type CoreErrorCode,
  type ErrorCode,
  type ParameterErrorCode,
  type TransportFailure,
} from '../../core.ts';

type Cause = Failure['cause'];

/** Every code of the core but `http_` and a status, and those of deliveries, which are answered and not thrown. */
type Code = ErrorCode | TransportFailure | CoreErrorCode | ParameterErrorCode;

/**
 * What n8n is told about each error. Its durable scheduler reads it to decide when to poll again. Only a new API key cures
 * an invalid one; a key that is valid but not permitted counts as configuration (API text, "Errors").
 */
const CAUSES: Record<Code, Cause> = {
  invalid_api_key: 'credential-invalid',
  insufficient_scope: 'configuration-invalid',
  ip_not_allowed: 'configuration-invalid',
  workspace_mismatch: 'configuration-invalid',
  quota_exceeded: 'quota-exhausted',
  not_found: 'configuration-invalid',
  idempotency_conflict: 'configuration-invalid',
  idempotency_in_progress: 'temporarily-unavailable',
  validation_failed: 'configuration-invalid',
  invalid_cursor: 'temporarily-unavailable',
  approval_required: 'configuration-invalid',
  contrast_check_failed: 'configuration-invalid',
  rate_limited: 'rate-limited',

  timeout: 'temporarily-unavailable',
  deadline: 'temporarily-unavailable',
  network: 'temporarily-unavailable',
  aborted: 'temporarily-unavailable',
  certificate: 'configuration-invalid',
  redirect: 'configuration-invalid',
  too_large: 'configuration-invalid',

  invalid_input: 'configuration-invalid',
  unreadable_response: 'configuration-invalid',
  repeated_cursor: 'temporarily-unavailable',
  not_published: 'configuration-invalid',
  not_visible: 'temporarily-unavailable',
  target_not_allowed: 'configuration-invalid',

  ambiguous_name: 'configuration-invalid',
  archived: 'configuration-invalid',
  conflicting_rows: 'configuration-invalid',
  not_listed: 'temporarily-unavailable',
  renamed: 'configuration-invalid',
  search_limit: 'configuration-invalid',
};

const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Why an operation failed, as plain data for n8n. */
export function failureOf(error: unknown): Failure {
  const cause = causeOf(error);
  switch (cause) {
    case 'rate-limited':
    case 'quota-exhausted':
    case 'temporarily-unavailable':
      return {
        cause,
        ...omitUndefined({ retryAfterMs: isApiError(error) ? error.retryAfterMs : undefined }),
      };
    default:
      return { cause };
  }
}

function causeOf(error: unknown): Cause {
  if (!isQrServiceError(error)) return causeOfOther(error);
  if (Object.hasOwn(CAUSES, error.code)) return CAUSES[error.code as Code];
  return isApiError(error) ? causeOfStatus(error.status, isOwnError(error, 401)) : 'configuration-invalid';
}

/** For a code that the API text doesn't have, or none. */
function causeOfStatus(status: number, isAboutKey: boolean): Cause {
  if (status === 429) return 'rate-limited';
  if (status >= 500 || status === 408) return 'temporarily-unavailable';
  return isAboutKey ? 'credential-invalid' : 'configuration-invalid';
}

/** n8n's own errors are about the workflow or its credential. Others, such as a full disk, may pass. */
function causeOfOther(error: unknown): Cause {
  if (error instanceof ExecutionBaseError || error instanceof UserError) return 'configuration-invalid';
  return BUGS.some((bug) => error instanceof bug) ? 'node-defect' : 'temporarily-unavailable';
}
