import {
  isApiError,
  isOwnError,
  type CallOptions,
  type QrCode,
  type QrServiceClient,
} from '../../../core.ts';

/** Reads a code; undefined if the API key may not read codes, after which no more requests are sent. */
export function codeReader(
  client: QrServiceClient,
  options: CallOptions,
): (id: string) => Promise<QrCode | undefined> {
  let mayRead = true;
  return async (id) => {
    if (!mayRead) return undefined;
    return client.qr.get(id, options).catch((error: unknown) => {
      // A firewall's 403 isn't about the key.
      if (!isOwnError(error, 403)) throw error;
      // Other reasons may be temporary; this one lasts for the whole run.
      if (isApiError(error) && error.code === 'insufficient_scope') mayRead = false;
      return undefined;
    });
  };
}
