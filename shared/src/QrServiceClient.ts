import type { ClientOptions } from './client/configuration.ts';
import { PlatformClient } from './client/PlatformClient.ts';
import { undiciTransport } from './undici.ts';

/**
 * Client for the service's public API v1. It retries what is safe to retry and keeps within the rate limit.
 * @example
 * ```ts
 * import { QrServiceClient } from '@qr-service/core';
 *
 * const client = new QrServiceClient({ apiKey: process.env.QR_SERVICE_API_KEY });
 * const code = await client.qr.create({ name: 'Table 4', targetUrl: 'https://example.com/menu' });
 * await client.qr.publish(code.id); // from now on the short link works
 * const image = await client.qr.render(code.id, { format: 'svg' });
 * console.log(image.contentType); // image/svg+xml
 * ```
 */
export class QrServiceClient extends PlatformClient {
  /** @throws QrServiceError `invalid_input` for an invalid option, such as a missing key */
  constructor(options: ClientOptions) {
    super({ ...options, transport: options.transport ?? undiciTransport() });
  }
}
