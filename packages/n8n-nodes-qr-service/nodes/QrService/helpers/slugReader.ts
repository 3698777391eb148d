import { isApiError, type CallOptions, type QrServiceClient } from '../../../core.ts';

/** Reads a code's slug; undefined where the key may not read codes, which is asked only once. */
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
        // Other reasons may pass; this one does not while the run lasts.
        if (error.code === 'insufficient_scope') mayRead = false;
        return undefined;
      },
    );
  };
}
