import { isApiError, type CallOptions, type QrServiceClient } from '../../../core.ts';

/** Reads a code's slug; undefined if the API key may not read codes, after which no more requests are sent. */
export function slugReader(
  client: QrServiceClient,
  options: CallOptions,
): (id: string) => Promise<string | undefined> {
  let mayRead = true;
  return async (id) => {
    if (!mayRead) return undefined;
    return client.qr.get(id, options).then(
      ({ slug }) => slug,
      (error: unknown) => {
        // A firewall's 403 says nothing about the key.
        if (!isApiError(error) || error.status !== 403 || error.intermediary !== undefined) throw error;
        // Other reasons may be temporary; this one lasts for the whole run.
        if (error.code === 'insufficient_scope') mayRead = false;
        return undefined;
      },
    );
  };
}
