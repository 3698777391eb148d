import { isObject, nonEmptyText, type JsonObject } from '../json/json.ts';
import { readRecord, type Identified } from './record.ts';

/** Names of the field that contains the signing secret, which isn't documented (docs/api.md#webhook-subscriptions). */
export const SECRET_KEYS = ['secret', 'signingSecret', 'signing_secret', 'webhookSecret', 'signingKey'];

/** Reads a new subscription: flat, or in the only object with a URL or a secret. Undefined if there is none. */
export function readSubscription(body: unknown): Identified | undefined {
  return readRecord(
    body,
    (record) =>
      record === body || nonEmptyText(record['url']) !== undefined || readSecrets(record).length > 0,
  );
}

/** Reads the signing secret of a new subscription, in the body or one level down: undefined if there is none, or if two differ. */
export function readSigningSecret(body: unknown): string | undefined {
  const levels = isObject(body) ? [body, ...Object.values(body)] : [];
  const [secret, other] = new Set(levels.flatMap(readSecrets));
  return other === undefined ? secret : undefined;
}

function readSecrets(level: unknown): string[] {
  return isObject(level) ? SECRET_KEYS.flatMap((key) => nonEmptyText(level[key]) ?? []) : [];
}

/** Copies an object without its signing secrets, however deep they are: platforms store errors with executions. */
export function withoutSecrets(details: JsonObject): JsonObject {
  const hide = (key: string, inside: unknown) =>
    SECRET_KEYS.includes(key) && typeof inside === 'string' ? '[secret]' : inside;
  return JSON.parse(JSON.stringify(details, hide)) as JsonObject;
}
