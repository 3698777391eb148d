import { authHeader, readApiKey } from '@qr-service/core/connector';
import type { Bundle, HttpRequestOptionsWithUrl, ZObject } from 'zapier-platform-core';
import { apiKeyOf } from '../inputs/readInputs.ts';

/**
 * Adds the connection's API key to a request. The app's own requests already have it, but Zapier also derives from
 * this how API Request steps authenticate. That works only if every URL gets the key: Zapier restricts where such
 * steps may go. An invalid key is left out, so the service reports it as missing.
 */
export function addApiKey(
  request: HttpRequestOptionsWithUrl,
  // With three parameters, Zapier's engine would take it for a method with a callback.
  ...rest: [z: ZObject, bundle: Bundle]
): HttpRequestOptionsWithUrl {
  try {
    const [name, value] = authHeader({ apiKey: readApiKey(apiKeyOf(rest[1])) });
    const others = Object.entries(request.headers ?? {}).filter(
      ([other]) => other.trim().toLowerCase() !== name.toLowerCase(),
    );
    return { ...request, headers: { ...Object.fromEntries(others), [name]: value } };
  } catch {
    return request;
  }
}
