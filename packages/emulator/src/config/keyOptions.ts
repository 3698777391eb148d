import type { Scope } from '@qr-service/core';

/** A key to be made. */
export interface KeyOptions {
  name?: string;
  /** Default: all. */
  scopes?: readonly Scope[];
  /** A moment, as ISO 8601, milliseconds since the epoch or a Date. Default: never. */
  expiresAt?: string | number | Date;
  /** Addresses or CIDR ranges that may use the key, e.g. `10.0.0.0/8`. Default: all. */
  allowedAddresses?: readonly string[];
  /** The secret itself. Default: a random one. */
  apiKey?: string;
}
