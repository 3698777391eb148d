import { isApiError, isQrServiceError, isTransportError, type TransportFailure } from '@qr-service/core';
import {
  describeError,
  duration,
  errorText,
  isParameterError,
  omitUndefined,
  sentence,
  type ErrorDescription,
  type ErrorWords,
} from '@qr-service/core/connector';
import { MCP_WORDS } from './words.ts';

/** An error as a model reads it. */
export interface ToolError {
  /** Stable code to branch on. */
  code: string;
  /** What happened, what to do next, and whether to try again. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** How long to wait before that, in seconds. */
  retryAfterSeconds?: number;
  /** The argument that is wrong. */
  argument?: string;
  /** Identifies the request for the service's support. */
  requestId?: string;
}

const PASSING: readonly TransportFailure[] = ['timeout', 'deadline', 'network'];

/** How an error is described. */
interface ToolErrorOptions {
  /** @default MCP_WORDS */
  words?: ErrorWords;
  /** @default the core's description, in these words */
  described?: ErrorDescription;
}

/** Describes any thrown value for a model. Contains no API key. */
export function toToolError(
  error: unknown,
  { words = MCP_WORDS, described = describeError(error, words) }: ToolErrorOptions = {},
): ToolError {
  const retryable = isPassing(error);
  const waitMs = retryable && isApiError(error) ? error.retryAfterMs : undefined;
  const again = tryAgain(error, { retryable, waitMs, hasAdvice: described.description !== '' });
  const description = `${sentence(described.description)} Try again: ${again}.`;
  return {
    code: isQrServiceError(error) ? error.code : 'unexpected',
    message: errorText({ ...described, description: description.trim() }),
    retryable,
    ...omitUndefined({
      retryAfterSeconds: waitMs === undefined ? undefined : Math.ceil(waitMs / 1000),
      argument: isParameterError(error) ? error.parameter : undefined,
      requestId: isApiError(error) ? error.requestId : undefined,
    }),
  };
}

/** Whether the same call may succeed later. */
function isPassing(error: unknown): boolean {
  if (isApiError(error)) return error.retryable;
  if (isTransportError(error)) return PASSING.includes(error.kind);
  // The service may show a new code late.
  return isQrServiceError(error) && ['not_listed', 'not_visible'].includes(error.code);
}

function tryAgain(
  error: unknown,
  { retryable, waitMs, hasAdvice }: { retryable: boolean; waitMs: number | undefined; hasAdvice: boolean },
): string {
  if (waitMs !== undefined) return `yes, in ${duration(waitMs)}`;
  if (retryable) return 'yes';
  if (isAboutInput(error)) return 'with corrected arguments only';
  return hasAdvice ? 'only after that' : 'no';
}

/** Whether an error is about the code that a call names: there is none with this ID or link, or it can't be an ID. */
export function isAboutCode(error: unknown): boolean {
  if (!isQrServiceError(error)) return false;
  if (error.code === 'invalid_input') return !isParameterError(error);
  return error.code === 'not_found' || error.code === 'search_limit';
}

/** Whether other arguments may help. */
function isAboutInput(error: unknown): boolean {
  return (
    isParameterError(error) ||
    (isQrServiceError(error) &&
      ['invalid_input', 'not_found', 'target_not_allowed', 'validation_failed'].includes(error.code))
  );
}
