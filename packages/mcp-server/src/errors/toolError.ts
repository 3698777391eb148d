import { isApiError, isQrServiceError, isTransportError } from '@qr-service/core';
import {
  describeError,
  duration,
  errorText,
  isParameterError,
  omitUndefined,
  sentence,
  type ErrorWords,
} from '@qr-service/core/connector';

/** The words for errors that a model reads and can act on. */
export const MCP_WORDS: ErrorWords = {
  credential: "MCP server's configuration",
  rerun: 'call this tool again',
  scopes: 'To see the scopes of the API key, call whoami.',
  advice: new Map([
    ['target_not_allowed', 'Use another destination, or ask the user to add it to --allow-targets.'],
    ['idempotency_conflict', 'Contact support.'],
  ]),
};

/** The words for a row, also if its code was not published. */
export type RowWords = ReturnType<typeof rowWords>;

/** The words for a row of a tool that creates codes. */
export function rowWords(tool: string) {
  return {
    ...MCP_WORDS,
    rerun: `call ${tool} again with this row, which won't create a duplicate in this session`,
    publish: 'publish it with publish_qr_code',
    again: `Calling ${tool} again with the same row in this session is safe too: it publishes this code.`,
  };
}

/** The words for an image of a code that was created. */
export const IMAGE_WORDS: ErrorWords = { ...MCP_WORDS, rerun: "call render_qr_codes with this code's ID" };

/** An error as a model reads it: its `code` is stable, and its `message` says what happened, what to do and whether to retry. */
export type ToolError = ReturnType<typeof toToolError>;

/** Errors that the same call may not have later, as the service may show a new code late. */
const LATE = ['not_listed', 'not_visible'];
/** Errors that other arguments may not have. */
const ABOUT_INPUT = ['invalid_input', 'not_found', 'target_not_allowed', 'validation_failed'];

/** Describes any thrown value for a model, by default in the core's words. Contains no API key. */
export function toToolError(
  error: unknown,
  words = MCP_WORDS,
  described: ReturnType<typeof describeError> = describeError(error, words),
) {
  const retryable = isPassing(error);
  const waitMs = retryable && isApiError(error) ? error.retryAfterMs : undefined;
  let again = described.description === '' ? 'no' : 'only after that';
  const code = isQrServiceError(error) ? error.code : 'unexpected';
  if (isParameterError(error) || ABOUT_INPUT.includes(code)) again = 'with corrected arguments only';
  if (retryable) again = waitMs === undefined ? 'yes' : `yes, in ${duration(waitMs)}`;
  const description = `${sentence(described.description)} Retry: ${again}.`;
  return {
    code,
    message: errorText({ ...described, description: description.trim() }),
    retryable,
    ...omitUndefined({
      retryAfterSeconds: waitMs === undefined ? undefined : Math.ceil(waitMs / 1000),
      requestId: isApiError(error) ? error.requestId : undefined,
    }),
  };
}

function isPassing(error: unknown): boolean {
  if (isApiError(error)) return error.retryable;
  if (isTransportError(error)) return ['timeout', 'deadline', 'network'].includes(error.code);
  return isQrServiceError(error) && LATE.includes(error.code);
}
