import { SECRET_KEYS } from '../contract/wireNames.ts';
import { describeShape, nestedObjects, readRecord, type Identified } from './record.ts';
import { isObject, text, type JsonObject } from '../json/values.ts';

/**
 * Reads a new subscription: the only level with an ID and a secret, or else the record regardless of its secret.
 * Undefined if there is none.
 */
export function readSubscription(body: unknown): Identified | undefined {
  const levels = isObject(body) ? [body, ...nestedObjects(body)] : [];
  const whole = levels
    .filter((level) => Object.hasOwn(level, 'id') && secretsOf(level).length > 0)
    .flatMap((level) => readRecord(level) ?? []);
  if (whole.length === 1) return whole[0];
  return readRecord(body, (record) => secretsOf(record).length > 0 || text(record['url']) !== undefined);
}

/**
 * Reads the signing secret of a new subscription, also one level down. Undefined if there is none, or if two differ, as
 * the API text doesn't name its field ("Endpoints", gaps).
 */
export function readSigningSecret(body: unknown): string | undefined {
  const secrets = new Set(findSecrets(body).map(([, secret]) => secret));
  return secrets.size === 1 ? [...secrets][0] : undefined;
}

/** Describes what was found instead of one secret: the names of fields, never their values. */
export function describeSecretFields(body: unknown): string {
  const names = new Set(findSecrets(body).map(([name]) => name));
  return names.size === 0 ? describeShape(body) : `different values in ${[...names].join(' and ')}`;
}

function findSecrets(body: unknown): [name: string, secret: string][] {
  return isObject(body) ? [body, ...nestedObjects(body)].flatMap(secretsOf) : [];
}

function secretsOf(level: JsonObject): [name: string, secret: string][] {
  return SECRET_KEYS.flatMap((key): [string, string][] => {
    const secret = text(level[key]);
    return secret === undefined ? [] : [[key, secret]];
  });
}
