/** What users are told about one of the service's error codes. */
export interface ErrorCodeDefinition {
  /** HTTP status that the code comes with. */
  status: number;
  /** What happened, in one sentence. */
  meaning: string;
  /** What to do next, in one sentence. */
  advice: string;
}

/** The service's documented error codes (API text, "Errors"), with what both platforms say about them. */
export const ERROR_CODES = {
  invalid_api_key: {
    status: 401,
    meaning: 'The API key is missing, revoked or expired.',
    advice: 'Make a new API key in the app, then update the connection.',
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The API key is valid but lacks a scope that this step needs.',
    advice: 'Make an API key with the missing scope in the app, then update the connection.',
  },
  ip_not_allowed: {
    status: 403,
    meaning: "The API key's allow-list does not contain the address that this request came from.",
    advice: "Add the address to the key's allow-list in the app, or use a key without an allow-list.",
  },
  workspace_mismatch: {
    status: 403,
    meaning: 'The API key does not match the requested workspace.',
    advice: 'Use a key of that workspace: a key belongs to exactly one.',
  },
  quota_exceeded: {
    status: 403,
    meaning: 'The workspace has reached its quota.',
    advice: 'Free up quota or increase it in the app, then run this step again.',
  },
  not_found: {
    status: 404,
    meaning: "There is no such record in the key's workspace.",
    advice: 'Check the id, and that the API key belongs to the same workspace as the record.',
  },
  idempotency_conflict: {
    status: 409,
    meaning: 'The same idempotency key was used before with different input.',
    advice: 'Use another deduplication key for different input, or repeat the input unchanged.',
  },
  idempotency_in_progress: {
    status: 409,
    meaning: 'The first attempt of this same request is still running.',
    advice: 'Wait a moment and run this step again.',
  },
  validation_failed: {
    status: 422,
    meaning: 'The service did not accept the input.',
    advice: 'Correct the field that the message names; unchanged, it will fail again.',
  },
  invalid_cursor: {
    status: 422,
    meaning: 'The pagination cursor is no longer valid.',
    advice: 'Start the list from its beginning.',
  },
  approval_required: {
    status: 422,
    meaning: 'The service requires an approval before it does this.',
    advice: 'Get it approved in the app, then run this step again.',
  },
  contrast_check_failed: {
    status: 422,
    meaning: "The code did not pass the service's contrast check.",
    advice: "Check the code's design in the app, then run this step again.",
  },
  rate_limited: {
    status: 429,
    meaning: 'Too many requests were sent in a short time.',
    advice: 'Wait for the time that the error names, then run this step again.',
  },
} as const satisfies Record<string, ErrorCodeDefinition>;

/** A documented error code. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Narrows any string to a documented error code. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
