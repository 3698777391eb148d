import { QrServiceError } from '../../errors/QrServiceError.ts';
import { showValue } from './showValue.ts';

/** How an error names a parameter. */
export interface ParameterInfo {
  /** The label that people see. */
  label: string;
  /**
   * Whether it is a secret: an error doesn't show its value.
   * @default false
   */
  secret?: boolean;
}

const PARAMETER_ERROR = Symbol.for('@qr-service/core/parameterError');

/**
 * A parameter whose value can't be used. It is thrown before anything is sent. `code` is `invalid_input`; for an
 * empty one that has no default it is `validation_failed`, as the service itself answers.
 */
export class ParameterError extends QrServiceError {
  override readonly name: string = 'ParameterError';
  /** Label of the parameter. */
  readonly parameter: string;
  /** What to do next. */
  readonly advice: string;

  constructor(message: string, options: { code: string; parameter: string; advice: string }) {
    super(message, options);
    this.parameter = options.parameter;
    this.advice = options.advice;
    Object.defineProperty(this, PARAMETER_ERROR, { value: true });
  }
}

/** Whether a thrown value is about a parameter, thrown by this copy of the core or by another loaded one. */
export function isParameterError(error: unknown): error is ParameterError {
  return error instanceof Error && PARAMETER_ERROR in error;
}

/** The error for a value of the wrong kind; `expected` completes "must be …". */
export function invalidParameter(
  value: unknown,
  { label, secret }: ParameterInfo,
  expected: string,
  advice = 'Correct it and try again.',
): ParameterError {
  return new ParameterError(
    `${label} must be ${expected}, but got ${secret === true ? `something else (${typeof value})` : showValue(value)}.`,
    { code: 'invalid_input', parameter: label, advice },
  );
}

/** The error for an empty parameter that has no default. */
export function missingParameter({ label }: ParameterInfo): ParameterError {
  return new ParameterError(`${label} is empty.`, {
    code: 'validation_failed',
    parameter: label,
    advice: 'Fill it in and run the step again.',
  });
}
