import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '@qr-service/core';
import { ERROR_CODES, omitUndefined } from '@qr-service/core/connector';
import type { Context } from 'hono';
import type { Env } from './env.ts';

/** A failure that is returned as an error body (docs/api.md#errors). */
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

/** The body of a failure, as it is sent. */
export function failureBody({ code, status, message, details }: ApiFailure, requestId: string): string {
  // For this code, `error` and `message` carry the same text (docs/api.md#errors).
  const error = code === 'insufficient_scope' ? message : (STATUS_CODES[status] ?? 'Error');
  return JSON.stringify(omitUndefined({ error, message, code, details, requestId }));
}

/** Records for the request log why a request failed: the code, and the invalid fields or the missing scope. */
export function noteFailure(
  c: Context<Env>,
  { code, details = {} }: Pick<ApiFailure, 'code' | 'details'>,
): void {
  const { fields, required } = details;
  const names = typeof fields === 'object' && fields !== null ? Object.keys(fields) : [required];
  c.var.notes.failure = { code, fields: names.filter((name) => typeof name === 'string') };
}
