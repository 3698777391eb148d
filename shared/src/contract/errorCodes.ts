/** How an error response is explained to users. */
export interface Explanation {
  /** What happened, in one sentence. */
  meaning: string;
  /** What else is known, in one sentence. */
  fact?: string;
  /** What to do: a platform's words replace `{credential}` and `{rerun}`. */
  advice: string;
}

/** The service's documented error codes (docs/api.md#errors), with the wording that both platforms show. */
export const ERROR_CODES = {
  invalid_api_key: {
    status: 401,
    // The client sends no request without a key.
    meaning: 'The API key is invalid, revoked or expired.',
    advice: 'Create a new API key in the app, then update the {credential}.',
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The API key lacks a scope.',
    advice: 'Create an API key in the app with the missing scope as well, then update the {credential}.',
  },
  ip_not_allowed: {
    status: 403,
    meaning: "The API key's allow-list doesn't include the IP address of this request.",
    advice: "Add the IP address to the key's allow-list in the app, or use a key without an allow-list.",
  },
  workspace_mismatch: {
    status: 403,
    meaning: 'The API key belongs to another workspace.',
    advice: 'Create an API key in the right workspace, then update the {credential}.',
  },
  quota_exceeded: {
    status: 403,
    meaning: 'The workspace has reached its quota.',
    advice: 'Free up quota or increase it in the app, then {rerun}.',
  },
  not_found: {
    status: 404,
    meaning: 'Not found.',
    advice: 'Check Base URL and the ID, and that the API key belongs to the same workspace.',
  },
  idempotency_conflict: {
    status: 409,
    meaning: 'This idempotency key was used before with different input.',
    advice: 'Use a new key for different input. If it keeps failing, contact support.',
  },
  idempotency_in_progress: {
    status: 409,
    meaning: 'The first attempt of this request is still running.',
    advice: 'Wait a moment, then {rerun}.',
  },
  validation_failed: {
    status: 422,
    meaning: 'The service rejected the input.',
    advice: 'Correct the input.',
  },
  invalid_cursor: {
    status: 422,
    meaning: 'The pagination cursor is no longer valid.',
    advice: 'Load the list from the beginning.',
  },
  approval_required: {
    status: 422,
    meaning: 'An approval is required first.',
    advice: 'Get it approved in the app, then {rerun}.',
  },
  contrast_check_failed: {
    status: 422,
    meaning: "The QR code didn't pass the contrast check.",
    advice: "Change the code's design in the app, then {rerun}.",
  },
  rate_limited: {
    status: 429,
    meaning: 'Too many requests were sent in a short time.',
    advice: 'Wait a minute, then {rerun}.',
  },
} as const satisfies Record<string, Explanation & { status: number }>;

/** A documented error code. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Narrows any string to a documented error code. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
