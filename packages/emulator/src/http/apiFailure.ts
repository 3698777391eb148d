import { ERROR_CODES } from '@qr-service/core/connector';
import type { ErrorCode } from '@qr-service/core';

/** A failure that is returned as an error body (API text, "Error body"). */
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

/** The fields at fault, or the scope that the key lacks. */
export function fieldsAtFault(details: unknown): string[] {
  const { fields, required } = (details ?? {}) as { fields?: unknown; required?: unknown };
  if (typeof fields === 'object' && fields !== null) return Object.keys(fields);
  return typeof required === 'string' ? [required] : [];
}

/** A failure with one of the documented codes. */
export function apiFailure(code: ErrorCode, message?: string, details?: Record<string, unknown>): ApiFailure {
  const { status, meaning } = ERROR_CODES[code];
  return new ApiFailure(code, status, message ?? meaning, details);
}

/** 422 for invalid input, with the problem of each field by name. */
export function validationFailure(fields: Record<string, string>): ApiFailure {
  const sentences = Object.entries(fields).map(([field, problem]) => `${field} ${problem}.`);
  return apiFailure('validation_failed', sentences.join(' '), { fields });
}
