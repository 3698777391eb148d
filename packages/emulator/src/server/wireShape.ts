import type { EventType, QrCode } from '@qr-service/core';
import type { ApiKey } from '../store/apiKeys.ts';
import type { Dimension, Scan } from '../store/scans.ts';
import type { Subscription } from '../store/subscriptions.ts';
import type { Workspace } from '../store/workspace.ts';

/*
 * How the emulator fills what the API text leaves open ("Gaps"): names, nesting and statuses of answers, all
 * of them here. Nothing outside this file knows them.
 */

/** An answer with a JSON body; `null` for none. */
export interface Answer {
  status: number;
  body: Record<string, unknown> | null;
}

/** Answer of `GET /me`. */
export function accountAnswer(workspace: Workspace, key: ApiKey): Answer {
  return { status: 200, body: { workspace: { ...workspace }, scopes: key.scopes, key: { name: key.name } } };
}

/** Answer of `POST /qr`. */
export function createdAnswer(qr: QrCode): Answer {
  return { status: 201, body: qr };
}

/** Answer of `GET /qr/{id}`, publish and destination. */
export function codeAnswer(qr: QrCode): Answer {
  return { status: 200, body: qr };
}

/** Answer of a list. */
export function listAnswer(
  rows: Record<string, unknown>[],
  nextCursor: string | null,
  rest: Record<string, unknown> = {},
): Answer {
  return { status: 200, body: { data: rows, ...rest, pagination: { nextCursor } } };
}

/** A row of `GET /scans`. Dimensions that are switched off are omitted (API text, "Scan history"). */
export function scanRow(scan: Scan, allowed: readonly Dimension[]): Record<string, unknown> {
  const visit = Object.fromEntries(allowed.map((dimension) => [dimension, scan.visit[dimension]]));
  return { id: scan.id, qrId: scan.qrId, scannedAt: new Date(scan.scannedAt).toISOString(), ...visit };
}

/** Answer of `POST /webhooks`: the only one that ever carries the secret. */
export function subscribedAnswer({ id, url, eventTypes, createdAt, secret }: Subscription): Answer {
  const types: readonly EventType[] = eventTypes;
  return {
    status: 201,
    body: { id, url, eventTypes: types, createdAt: new Date(createdAt).toISOString(), secret },
  };
}

/** Answer of `DELETE /webhooks/{id}` once the subscription is removed. */
export function unsubscribedAnswer(): Answer {
  return { status: 204, body: null };
}

/** Whether `updatedSince` and `since` include what happened at that very moment; the lowest time listed. */
export function firstTimeSince(since: number): number {
  return since;
}
