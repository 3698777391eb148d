import type { Scope } from '@qr-service/core';

/** An API key to create. */
export interface KeyOptions {
  name?: string;
  /** Default: all. */
  scopes?: readonly Scope[];
  /** ISO 8601, milliseconds since the epoch or a Date. Default: never. */
  expiresAt?: string | number | Date;
  /** IP addresses or CIDR ranges that may use the key, for example `10.0.0.0/8`. Default: all. */
  allowedAddresses?: readonly string[];
  /** The secret itself. Default: a random one. */
  apiKey?: string;
}
