import { ERROR_CODES } from '@qr-service/core/connector';
import type { ErrorCode } from '@qr-service/core';
import type { Fault } from '../../../faults/requestFaults.ts';
import { ApiFailure } from '../../apiFailure.ts';

/** The error that a fault responds with, if any. */
export function faultFailure(fault: Fault): ApiFailure | undefined {
  const { code, status, drop, delayMs, cut, encoding, reset } = fault;
  if (code !== undefined)
    return new ApiFailure(code, status ?? ERROR_CODES[code].status, ERROR_CODES[code].meaning, DETAILS[code]);
  const isOther = [drop, delayMs, cut, encoding, reset].some((part) => part !== undefined);
  if (status === undefined && isOther && !isPage(fault)) return undefined;
  return new ApiFailure('service_unavailable', status ?? 503, 'The service is not available at the moment.');
}

/** Whether a fault responds with a page of HTML. */
export function isPage({ html, bytes }: Fault): boolean {
  return html === true || bytes !== undefined;
}

/** `details` of the codes for which the API text documents them ("Authentication", 7). */
const DETAILS: { readonly [Code in ErrorCode]?: Record<string, unknown> } = {
  insufficient_scope: { required: 'qr:write', granted: [] },
};
