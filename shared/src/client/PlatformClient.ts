import type { Account } from '../contract/types.ts';
import type { RateLimit } from '../wire/headers.ts';
import { readAccount } from '../wire/record.ts';
import { AllowedTargets } from './AllowedTargets.ts';
import type { PlatformClientOptions } from './configuration.ts';
import { QrCodes } from './QrCodes.ts';
import { RequestExecutor, type CallOptions } from './RequestExecutor.ts';
import { Scans } from './Scans.ts';
import { Webhooks } from './Webhooks.ts';

/**
 * Client for the service's public API v1 over a transport of your own, such as a platform's. It retries what is safe to
 * retry and keeps within the rate limit. `QrServiceClient` is the same with a transport for Node.
 */
export class PlatformClient {
  /** QR codes: create, read, list, publish, retarget, render. */
  readonly qr: QrCodes;
  /** Scan history. */
  readonly scans: Scans;
  /** Webhook subscriptions. */
  readonly webhooks: Webhooks;
  readonly #executor: RequestExecutor;

  /** @throws QrServiceError `invalid_input` for an invalid option */
  constructor(options: PlatformClientOptions) {
    this.#executor = new RequestExecutor(options);
    this.qr = new QrCodes(this.#executor, new AllowedTargets(options.allowedTargets));
    this.scans = new Scans(this.#executor);
    this.webhooks = new Webhooks(this.#executor);
  }

  /** The workspace that the key gives access to, and its scopes if the service returns them (`GET /me`). */
  async me(options?: CallOptions): Promise<Account> {
    return this.#executor.send({ method: 'GET', path: '/me' }, options, ({ body }) => readAccount(body));
  }

  /** The service's rate limit as it last reported it (docs/api.md#rate-limit). */
  get rateLimit(): RateLimit | undefined {
    return this.#executor.rateLimit;
  }
}
