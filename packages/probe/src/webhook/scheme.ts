import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { SERVICE_HEADERS } from '@qr-service/core/connector';
import { valuesOf } from './capture.ts';
import type { Delivery } from './Receiver.ts';

const DOCUMENTED = 'HMAC-SHA256 in hex over <timestamp>.<body>';

/**
 * Whether a delivery is signed in a way that other services use, instead of the documented one (docs/api.md#signatures):
 * returns sentences about what was signed with what, or undefined.
 */
export function findScheme(delivery: Delivery, secret: string): string | undefined {
  // Services have names of their own for it, too.
  const header = delivery.headers
    .filter(
      ([name]) => /signature/i.test(name) && name.toLowerCase() !== SERVICE_HEADERS.signatureV0.toLowerCase(),
    )
    .map(([, value]) => value)
    .join(' ');
  if (header === '') return undefined;
  const [id = ''] = valuesOf(delivery, SERVICE_HEADERS.delivery);
  const [time = ''] = [header, ...valuesOf(delivery, SERVICE_HEADERS.timestamp)].flatMap(
    (text) => text.match(/\b\d{9,13}\b/g) ?? [],
  );
  const messages = [
    ['<timestamp>.<body>', `${time}.`],
    ['<body> alone', ''],
    ['<timestamp><body>', time],
    ['<delivery ID>.<timestamp>.<body>', `${id}.${time}.`],
  ] as const;
  const keys = [
    ['', Buffer.from(secret)],
    [', keyed with the secret decoded from base64', Buffer.from(secret.replace(/^[a-z]+_/, ''), 'base64')],
  ] as const;
  for (const algorithm of ['sha256', 'sha1', 'sha512'])
    for (const [message, before] of messages)
      for (const [keyed, key] of keys)
        for (const encoding of ['hex', 'base64'] as const) {
          const signature = createHmac(algorithm, key).update(before).update(delivery.body).digest(encoding);
          if (!header.includes(signature)) continue;
          const scheme = `HMAC-${algorithm.toUpperCase()} in ${encoding} over ${message}${keyed}`;
          if (scheme !== DOCUMENTED || time.length === 13)
            return `The service uses another signature scheme than documented: ${scheme}. The connectors reject such deliveries: they expect ${SERVICE_HEADERS.signature}: t=<seconds>,v1=<${DOCUMENTED}>.`;
        }
  return undefined;
}
