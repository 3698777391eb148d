import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import type { HeaderNames } from '@qr-service/core/connector';
import { valuesOf } from './Delivery.ts';
import type { DiagnosisInput } from './judge.ts';

interface Signed {
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
  ['<body> alone, as the deprecated V0 does', () => ''],
  ['<timestamp><body>', ({ timestamp }) => timestamp],
  ['<timestamp>:<body>', ({ timestamp }) => `${timestamp}:`],
  ['<timestamp>, a line break and <body>', ({ timestamp }) => `${timestamp}\n`],
  ['<delivery ID>.<timestamp>.<body>', ({ deliveryId, timestamp }) => `${deliveryId}.${timestamp}.`],
  ['v1:<timestamp>:<body>', ({ timestamp }) => `v1:${timestamp}:`],
];

const DOCUMENTED = 'HMAC-SHA256 in hex over <timestamp>.<body>, keyed with the secret';

/**
 * Whether a delivery is signed in a way that other services use, instead of the one in the API text ("Verification
 * rules", 1): returns a sentence about what was signed with what, or undefined.
 * @param header the signature header's text, which contains the signature in any form
 */
export function findScheme(
  { delivery, secret }: DiagnosisInput,
  names: HeaderNames,
  header: string,
): string | undefined {
  const [deliveryId = ''] = valuesOf(delivery, names.delivery);
  const times = [header, ...valuesOf(delivery, names.timestamp)].flatMap(
    (text) => text.match(/\b\d{9,16}\b/g) ?? [],
  );
  for (const algorithm of ['sha256', 'sha1', 'sha512'])
    for (const [key, read] of KEYS)
      for (const [message, before] of MESSAGES)
        for (const timestamp of new Set(['', ...times])) {
          const start = before({ timestamp, deliveryId });
          if (timestamp === '' && start !== '') continue;
          const digest = createHmac(algorithm, read(secret)).update(start).update(delivery.body).digest();
          for (const encoding of ['hex', 'base64', 'base64url'] as const) {
            const signature = digest.toString(encoding);
            if (!header.includes(signature) && !header.includes(signature.toUpperCase())) continue;
            const [, prefix] = /\b(sha-?\d+[=:])/i.exec(header) ?? [];
            const scheme = [
              `HMAC-${algorithm.toUpperCase()} in ${encoding} over ${message}, keyed with ${key}`,
              ...(timestamp.length === 13 ? ['with the time in milliseconds'] : []),
              ...(prefix === undefined ? [] : [`after ${prefix}`]),
            ].join(', ');
            if (scheme === DOCUMENTED) return undefined;
            return `The service signs in another way than the API text says: ${scheme}. The connector refuses such deliveries.`;
          }
        }
  return undefined;
}
