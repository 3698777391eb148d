import type { ParameterErrorCode } from '../../errors/codes.ts';
import { isQrServiceError } from '../../errors/guards.ts';
import { QrServiceError } from '../../errors/QrServiceError.ts';
import { showValue } from './showValue.ts';

/** How an error names a parameter. */
export interface ParameterInfo {
  label: string;
  /** Whether it is a secret: errors don't show its value. */
  secret?: boolean;
}

/** An invalid parameter: `code` says in what way. An empty one has `validation_failed`, like the service's own error. */
export class ParameterError extends QrServiceError {
  override readonly name = 'ParameterError';
  readonly parameter: string;
  readonly advice: string;
  readonly isMissing: boolean;

  constructor(
    message: string,
    options: { code: ParameterErrorCode; parameter: string; advice: string; isMissing?: true },
  ) {
    super(message, options);
    this.parameter = options.parameter;
    this.advice = options.advice;
    this.isMissing = options.isMissing === true;
  }
}

/** Whether a thrown value is a `ParameterError`, from this copy of the core or another. */
export function isParameterError(error: unknown): error is ParameterError {
  return isQrServiceError(error) && error.name === 'ParameterError';
}

/** The error for an invalid value; `expected` completes "must be …". */
export function invalidParameter(
  value: unknown,
  { label, secret }: ParameterInfo,
  expected: string,
  advice = 'Correct the value.',
): ParameterError {
  const got = secret === true ? `something else (${typeof value})` : showValue(value);
  const message = `${label} must be ${expected}, but got ${got}.`;
  return new ParameterError(message, { code: 'invalid_input', parameter: label, advice });
}
