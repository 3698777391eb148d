import { ApiError } from '../../../shared/src/errors/ApiError.ts';
import { omitUndefined } from '../../../shared/src/json/json.ts';

/** An error of the service or, with `intermediary`, of a proxy. */
export function apiError(status: number, code: string, intermediary?: string): ApiError {
  const words = { message: code, retryable: false, method: 'POST' as const, path: '/qr' };
  return new ApiError({ ...words, status, code, ...omitUndefined({ intermediary }) });
}
