import { ERROR_CODES, type ErrorWords } from '@qr-service/core/connector';
import type { ErrorCode } from '@qr-service/core';
import type { RequestHandler } from './faultyService.ts';

/** A failure as the service, or something in its place, may respond. */
export interface ServiceError {
  status: number;
  headers?: Record<string, string>;
  /** Text, or JSON for anything else. */
  body: unknown;
  /** Title for an update of a code's destination to `mailto:nope`. */
  title: string;
  /** What to do, in the platform's words. */
  advice: (words: ErrorWords) => string;
}

const REQUEST_ID = 'req_17';

/** A failure body of the service. */
function failure(code: string, message: string, details?: unknown) {
  return {
    error: message,
    message,
    code,
    requestId: REQUEST_ID,
    ...(details === undefined ? {} : { details }),
  };
}

const ADVICE: Record<ErrorCode, [title: string, advice: (words: ErrorWords) => string]> = {
  invalid_api_key: [
    'The API key is missing, revoked or expired',
    ({ credential }) => `Create a new API key in the app, then update the ${credential}.`,
  ],
  insufficient_scope: [
    'The API key lacks the scope qr:write',
    ({ credential, scopes }) =>
      `Create an API key in the app with the scope qr:write as well, then update the ${credential}.${scopes === undefined ? '' : ` ${scopes}`}`,
  ],
  ip_not_allowed: [
    "The API key's allow-list doesn't include the IP address of this request",
    () => "Add the IP address to the key's allow-list in the app, or use a key without an allow-list.",
  ],
  workspace_mismatch: [
    'The API key belongs to another workspace',
    ({ credential }) => `Create an API key in the right workspace, then update the ${credential}.`,
  ],
  quota_exceeded: [
    'The workspace has reached its quota',
    ({ rerun }) => `Free up quota or increase it in the app, then ${rerun}.`,
  ],
  not_found: [
    'No QR code with ID qr_1 was found',
    () => 'Use the ID or the short link of a QR code, not its name, and an API key of its workspace.',
  ],
  idempotency_conflict: [
    'The service mistook this request for an earlier one with different input',
    () => 'If it keeps failing, contact support.',
  ],
  idempotency_in_progress: [
    'The first attempt of this request is still running',
    ({ rerun }) => `Wait a moment, then ${rerun}.`,
  ],
  validation_failed: ['The service rejected the input', () => 'Correct the input.'],
  invalid_cursor: ['The pagination cursor is no longer valid', () => 'Start the list from the beginning.'],
  approval_required: [
    'An approval is required first',
    ({ rerun }) => `Get it approved in the app, then ${rerun}.`,
  ],
  contrast_check_failed: [
    "The QR code didn't pass the contrast check",
    ({ rerun }) => `Change the code's design in the app, then ${rerun}.`,
  ],
  rate_limited: [
    'Too many requests were sent in a short time',
    ({ rerun }) => `Wait 3 hours, then ${rerun}.`,
  ],
};

/** Longer than any platform waits. */
const RETRY_AFTER = { 'Retry-After': '7300' };

const documented = Object.entries(ADVICE).map(([code, [title, advice]]): [string, ServiceError] => {
  const { status, meaning } = ERROR_CODES[code as ErrorCode];
  const headers = status === 429 ? RETRY_AFTER : {};
  return [code, { status, headers, body: failure(code, meaning), title, advice }];
});

const support = () => 'If you need help, give the request ID to support.';
const later = ({ rerun }: ErrorWords) => `Wait a few minutes, then ${rerun}.`;
const FOREIGN = "The response didn't come from the service";
const INSTEAD = 'A proxy, firewall or sign-in page may have responded instead.';

/** Error responses of a service, and the error that an update of a code's destination then shows. */
export const SERVICE_ERRORS: Record<string, ServiceError> = {
  ...Object.fromEntries(documented),
  'a message and details about a field': {
    status: 422,
    body: failure('validation_failed', 'url must be an absolute URL', { fields: { url: 'must be https' } }),
    title: 'The service rejected the input',
    advice: () => 'url must be an absolute URL. Details: fields: url: must be https. Correct the input.',
  },
  'a message with more details': {
    status: 403,
    body: failure('quota_exceeded', 'Your plan has 100 codes'),
    title: 'The workspace has reached its quota',
    advice: ({ rerun }) => `Your plan has 100 codes. Free up quota or increase it in the app, then ${rerun}.`,
  },
  'an unknown code': {
    status: 409,
    body: failure('moon_phase', 'Not tonight'),
    title: 'Not tonight',
    advice: support,
  },
  'an unknown code with a technical message': {
    status: 400,
    body: failure('bad_request', 'lookup_failed {"a":1}'),
    title: 'The service refused the request',
    advice: () => `lookup_failed {"a":1}. ${support()}`,
  },
  'an unknown code with a very long message': {
    status: 400,
    body: failure('bad_request', `Long ${'word '.repeat(60)}end`),
    title: 'The service refused the request',
    advice: () => `Long ${'word '.repeat(60)}end. ${support()}`,
  },
  'a server error': {
    status: 500,
    body: failure('internal', '{"stack":["at main.ts:1"]}'),
    title: "The service can't process requests right now",
    advice: later,
  },
  'a pause': {
    status: 503,
    headers: RETRY_AFTER,
    body: failure('maintenance', 'Maintenance'),
    title: 'Maintenance',
    advice: ({ rerun }) => `Wait 3 hours, then ${rerun}.`,
  },
  "a proxy's page": {
    status: 502,
    headers: { 'Content-Type': 'text/html', Server: 'nginx' },
    body: '<html>Bad gateway</html>',
    title: FOREIGN,
    advice: (words) => `${INSTEAD} It may not be able to reach the service. ${later(words)}`,
  },
  "a gateway's JSON": {
    status: 401,
    headers: {},
    body: { message: 'Unauthorized' },
    title: FOREIGN,
    advice: ({ credential }) =>
      `${INSTEAD} Unauthorized. Check Base URL and the API key in the ${credential}. If both are correct, ask whoever manages the proxy or firewall to allow requests to the service.`,
  },
  "a firewall's page": {
    status: 403,
    headers: { 'Content-Type': 'text/html' },
    body: '<html>Blocked</html>',
    title: FOREIGN,
    advice: ({ credential }) =>
      `${INSTEAD} Check Base URL in the ${credential}. If it is correct, ask whoever manages the proxy or firewall to allow requests to the service.`,
  },
};

/** Responds with an error. */
export function respondWith({ status, headers, body }: ServiceError): RequestHandler {
  return (_request, response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The request ID in an error's body, if it has one. */
export function requestIdOf({ body }: ServiceError): string | undefined {
  return typeof body === 'object' && body !== null && 'requestId' in body ? REQUEST_ID : undefined;
}

/** Whether a text starts with a capital letter (if its script has any) or a digit, possibly after a quote. */
function startsWithCapital(text: string): boolean {
  const [first = ''] = text.replace(/^['"“]/, '');
  return /[\p{L}\d]/u.test(first) && first === first.toUpperCase();
}

/** Style problems in an error's texts. */
export function problemsWith(title: string, description: string): string[] {
  // Quoted text is what the user entered. IDs and scopes can contain anything, too.
  const words = title.replaceAll(/(?<!\p{L})'.*'/gu, '').replaceAll(/\bqr_\w+|\bqr:\w+/g, '');
  const sentences = description.split(/(?<=[.!?]) +/).map((sentence) => sentence.toLowerCase());
  const checks: [problem: string, isWrong: boolean][] = [
    ['the title is too long', title.length > 150],
    ["the title doesn't start with a capital letter", !startsWithCapital(title)],
    ['the title ends with a period', title.endsWith('.')],
    ['the title contains JSON', /[{}[\]<>"]/.test(words)],
    ['the title contains a name from the API', /\p{Ll}\p{Lu}|[a-z]_[a-z]|\b[a-z]+\.[a-z]/u.test(words)],
    ['the title contains a status', /\b[1-5]\d\d\b|\brequest req/.test(words)],
    ['the description repeats the title', sentences.includes(`${title.toLowerCase()}.`)],
    ['a sentence is repeated', new Set(sentences).size < sentences.length],
    ['an object is shown as [object Object]', /\[object|undefined|null\b/.test(title + description)],
  ];
  return checks.filter(([, isWrong]) => isWrong).map(([problem]) => problem);
}
