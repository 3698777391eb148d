import { ERROR_CODES, type ErrorCode } from '@qr-service/core';

/** A refusal that becomes an error body (API text, "Error body"). */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: string;
  readonly status: number;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: string, status: number, message: string, details?: Record<string, unknown>) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

/** A refusal with one of the documented codes. */
export function refuse(code: ErrorCode, message?: string, details?: Record<string, unknown>): ApiFailure {
  const facts = ERROR_CODES[code];
  return new ApiFailure(code, facts.status, message ?? facts.meaning, details);
}

/** 422 for input that must be fixed: what is wrong with each field, by its name. */
export function invalid(fields: Record<string, string>): ApiFailure {
  const sentences = Object.entries(fields).map(([field, problem]) => `${field} ${problem}.`);
  return refuse('validation_failed', sentences.join(' '), { fields });
}
