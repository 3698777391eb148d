import { isApiError } from '@qr-service/core';

/** Whether the service itself, not a proxy, responded with this status. */
export function isOwnError(error: unknown, status: number): boolean {
  return isApiError(error) && error.status === status && error.intermediary === undefined;
}
