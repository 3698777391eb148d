import { isApiError, isOwnError, type QrCode } from '../../../core.ts';

/**
 * Reads codes. The result is undefined if there is none with this ID, or if the API key may not read codes, after which no
 * more requests are sent.
 * @param read throws if it isn't known whether the code exists
 */
export function codeReader(
  read: (id: string) => Promise<QrCode | undefined>,
): (id: string, isOptional?: boolean) => Promise<QrCode | undefined> {
  let mayRead = true;
  let isWorking = true;
  return async (id, isOptional = false) => {
    if (!mayRead || (isOptional && !isWorking)) return undefined;
    return read(id).catch((error: unknown) => {
      // Other reasons may be temporary; this one lasts for the whole run.
      if (isApiError(error) && error.code === 'insufficient_scope') mayRead = false;
      // A firewall's 403 isn't about the key.
      if (isOwnError(error, 403)) return undefined;
      if (!isOptional) throw error;
      isWorking = false;
      return undefined;
    });
  };
}
