import { authHeader, readApiKey } from '@qr-service/core/connector';
import type { Bundle, HttpRequestOptionsWithUrl, ZObject } from 'zapier-platform-core';
import { apiKeyOf } from '../inputs/readInputs.ts';

/**
 * Adds the connection's API key to a request. The app's own requests have it already; from this Zapier derives how API
 * Request steps authenticate, which works only if every URL gets the key: Zapier decides where such steps may go. A key
 * that can't be sent is left out: the service then says that it is missing.
 */
export function addApiKey(
  request: HttpRequestOptionsWithUrl,
  // With three parameters of its own, it would look like a method with a callback to Zapier's engine.
  ...[, bundle]: [z: ZObject, bundle: Bundle]
): HttpRequestOptionsWithUrl {
  try {
    const [name, value] = authHeader({ apiKey: readApiKey(apiKeyOf(bundle)) });
    const others = Object.entries(request.headers ?? {}).filter(
      ([other]) => other.trim().toLowerCase() !== name.toLowerCase(),
    );
    return { ...request, headers: { ...Object.fromEntries(others), [name]: value } };
  } catch {
    return request;
  }
}
