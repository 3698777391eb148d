import type { ErrorCode } from '@qr-service/core';
import { ERROR_CODES } from '@qr-service/core/connector';
import type { RequestHandler } from './faultyService.ts';

/** A failure as the service, or something in its place, may respond. */
export interface ServiceError {
  status: number;
  headers?: Record<string, string>;
  /** Text, or JSON for anything else. */
  body: unknown;
}

/** The request ID in the service's own errors. */
export const REQUEST_ID = 'req_17';

/** A documented error of the service. A wait is longer than any platform waits. */
export function serviceError(code: ErrorCode, message = 'As Anna says', details?: object): ServiceError {
  const { status } = ERROR_CODES[code];
  const headers: Record<string, string> = status === 429 ? { 'Retry-After': '7300' } : {};
  return { status, headers, body: { error: message, message, code, details, requestId: REQUEST_ID } };
}

/** A proxy's page. */
export const PROXY_PAGE: ServiceError = {
  status: 502,
  headers: { 'Content-Type': 'text/html', Server: 'nginx' },
  body: '<html>Bad gateway</html>',
};

/** Responds with an error. */
export function respondWith({ status, headers, body }: ServiceError): RequestHandler {
  return (_request, response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Style problems in an error's texts. The description may contain the service's own words. */
export function problemsWith(title: string, description: string): string[] {
  // IDs and scopes can contain anything.
  const words = title.replaceAll(/\bqr_\w+|\bqr:\w+/g, '');
  const checks: [problem: string, isWrong: boolean][] = [
    ["the title doesn't start with a capital letter", !/^[A-Z\d]/.test(title)],
    ['the title ends with a period', title.endsWith('.')],
    ['the title contains JSON', /[{}[\]<>"]/.test(words)],
    ['the title contains a name from the API', /\p{Ll}\p{Lu}|[a-z]_[a-z]|\b[a-z]+\.[a-z]/u.test(words)],
    ['the title contains a status', /\b[1-5]\d\d\b|\brequest req/.test(words)],
    ['the description repeats the title', description.startsWith(`${title}.`)],
    ['something is shown as code', /\[object|undefined\b/.test(title + description)],
    ['there are control characters', /[\p{C}\p{Zl}\p{Zp}]/u.test(title + description)],
    ['the title is too long', title.length > 250],
    ['the description is too long', description.length > 1500],
  ];
  return checks.filter(([, isWrong]) => isWrong).map(([problem]) => problem);
}
