import { isObject, text, type JsonObject } from './record.ts';

const SECRET_KEYS = ['secret', 'signingSecret', 'signing_secret', 'webhookSecret', 'signingKey'] as const;

/**
 * The signing secret of a new subscription, also one level down. Undefined when there is none, or when two
 * differ: the API text does not name its field ("Endpoints", gaps).
 */
export function readSigningSecret(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const found = new Set<string>();
  for (const level of [body, ...Object.values(body).filter(isObject)]) collect(level, found);
  return found.size === 1 ? [...found][0] : undefined;
}

function collect(level: JsonObject, found: Set<string>): void {
  for (const key of SECRET_KEYS) {
    const secret = text(level[key]);
    if (secret !== undefined) found.add(secret);
  }
}
