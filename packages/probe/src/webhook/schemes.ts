import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';

/** What a signature may have been made from. */
export interface Signed {
  body: Uint8Array;
  secret: string;
  timestamp: string;
  deliveryId: string;
}

const KEYS: readonly (readonly [name: string, read: (secret: string) => Buffer])[] = [
  ['the secret', (secret) => Buffer.from(secret)],
  ['the secret decoded from base64', (secret) => Buffer.from(secret.replace(/^[a-z]+_/, ''), 'base64')],
  ['the secret decoded from hex', (secret) => Buffer.from(secret.replace(/^[a-z]+_/, ''), 'hex')],
  ['the secret without its prefix', (secret) => Buffer.from(secret.replace(/^[a-z]+_/, ''))],
];

const MESSAGES: readonly (readonly [name: string, before: (signed: Signed) => string])[] = [
  ['<timestamp>.<body>', ({ timestamp }) => `${timestamp}.`],
  ['<body>', () => ''],
  ['<timestamp><body>', ({ timestamp }) => timestamp],
  ['<timestamp>:<body>', ({ timestamp }) => `${timestamp}:`],
  ['<timestamp>, a line break and <body>', ({ timestamp }) => `${timestamp}\n`],
  ['<delivery ID>.<timestamp>.<body>', ({ deliveryId, timestamp }) => `${deliveryId}.${timestamp}.`],
  ['v1:<timestamp>:<body>', ({ timestamp }) => `v1:${timestamp}:`],
];

/**
 * Whether a delivery is signed in a way that other services use, instead of the one in the API text ("Verification
 * rules", 1): returns what was signed with what, or undefined.
 * @param header the signature header's text, which contains the signature in any form
 */
export function findScheme(header: string, signed: Signed): string | undefined {
  for (const algorithm of ['sha256', 'sha1', 'sha512'])
    for (const [key, read] of KEYS)
      for (const [message, before] of MESSAGES) {
        const digest = createHmac(algorithm, read(signed.secret))
          .update(before(signed))
          .update(signed.body)
          .digest();
        for (const encoding of ['hex', 'base64', 'base64url'] as const)
          if (header.includes(digest.toString(encoding)))
            return `HMAC-${algorithm.toUpperCase()} in ${encoding} over ${message}, keyed with ${key}`;
      }
  return undefined;
}
