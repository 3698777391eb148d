import { DEFAULT_DELIVERIES_KEPT } from './options.ts';

const MAX_REDIRECT_URL_LENGTH = 100;

/** Checks the option `deliveriesKept`. @throws TypeError when it is invalid */
export function readDeliveriesKept(count: number = DEFAULT_DELIVERIES_KEPT): number {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new TypeError('deliveriesKept must be a whole number, 0 or more.');
  return count;
}

/** Checks the option `redirectUrl` and removes trailing slashes. Empty by default. @throws TypeError when it is invalid */
export function readRedirectUrl(url: string | undefined): string {
  if (url !== undefined && !/^https?:\/\/[^?#]+$/.test(url))
    throw new TypeError(`The redirect URL ${url} isn't an absolute http or https URL.`);
  // A longer URL needs a QR symbol with more modules than the smallest image has pixels.
  if (url !== undefined && url.length > MAX_REDIRECT_URL_LENGTH)
    throw new TypeError(`The redirect URL is longer than ${MAX_REDIRECT_URL_LENGTH} characters.`);
  return url?.replace(/(?<!\/)\/+$/, '') ?? '';
}
