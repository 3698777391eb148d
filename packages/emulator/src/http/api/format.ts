import type { Context } from 'hono';
import type { Scan, Subscription } from '../../store/records.ts';
import { sendBody } from '../bodies.ts';
import type { Env } from '../env.ts';

// The forms of the responses. Where docs/api.md leaves one open, it is the simplest.

/** A response of the API; a body of null is none. */
export interface ApiResponse {
  status: number;
  body: object | null;
}

type Row = Record<string, unknown>;

/** Sends JSON. */
export function sendJson(c: Context<Env>, body: object): Response {
  return sendBody(c, 200, JSON.stringify(body));
}

/** A page of a list. @param extra further properties of the page */
export function pageBody(data: readonly object[], nextCursor: string | null, extra: Row = {}): Row {
  return { data, ...extra, pagination: { nextCursor } };
}

/** A row of `GET /scans`, without the dimensions that aren't allowed (docs/api.md#scans). */
export function scanRow(
  { id, qrId, scannedAt, visit }: Scan,
  allowed: readonly (keyof Scan['visit'])[],
): Row {
  const dimensions = Object.fromEntries(allowed.map((dimension) => [dimension, visit[dimension]]));
  return { id, qrId, scannedAt: new Date(scannedAt).toISOString(), ...dimensions };
}

/** A new subscription, the only response with the secret. */
export function subscriptionBody({ id, url, eventTypes, createdAt, secret }: Subscription): Row {
  return { id, url, eventTypes, createdAt: new Date(createdAt).toISOString(), secret };
}
