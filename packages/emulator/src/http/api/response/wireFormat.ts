import { STATUS_CODES } from 'node:http';
import type { QrCode } from '@qr-service/core';
import type { ApiKey } from '../../../store/apiKeys.ts';
import type { Dimension, Scan } from '../../../store/scans.ts';
import type { Subscription } from '../../../store/subscriptions.ts';
import type { Workspace } from '../../../store/workspace.ts';
import { ApiFailure, refuse } from '../../apiFailure.ts';
import { resetHeader } from './resetHeader.ts';
import type { WireShape } from '../../../config/wireShape.ts';

/** An answer with a JSON body, text as it is (a page of HTML), or `null` for none. */
export interface Answer {
  status: number;
  body: object | string | null;
}

type Row = Record<string, unknown>;

/** Everything whose form the API text leaves open, in one shape, which can be changed at any time. */
export type Wire = ReturnType<typeof createWire>;

export function createWire(initialShape: Required<WireShape>) {
  let shape = initialShape;
  const isArray = () => shape.listKey === 'top-level array';

  return {
    get shape(): Required<WireShape> {
      return shape;
    },
    set shape(next: Required<WireShape>) {
      shape = next;
    },
    /** Remembers the shape, and returns what brings it back. */
    save() {
      const saved = shape;
      return () => {
        shape = saved;
      };
    },
    get order() {
      return shape.listOrder;
    },
    get largestPage() {
      return shape.maxLimit;
    },
    /** A top-level array has no room for a cursor: it is never cut. */
    get isPaged() {
      return !isArray();
    },

    /** Whether every page of scans has a cursor, the last one included. */
    get isFeed() {
      return shape.scanCursor === 'always' && !isArray();
    },

    /** Lowest time that `updatedSince` and `since` list. */
    firstTimeSince: (since: number): number => (shape.listSince === 'inclusive' ? since : since + 1),

    /** Answer of `GET /me`. */
    account({ id, name }: Workspace, key: ApiKey): Answer {
      const nested = { workspace: { id, name }, scopes: key.scopes, key: { name: key.name } };
      const flat = { workspaceId: id, workspaceName: name, scopes: key.scopes, keyName: key.name };
      return ok({ nested, flat, wrapped: { data: nested } }[shape.account]);
    },

    /** Answer of `POST /qr`. */
    created: (qr: QrCode): Answer => ({ status: 201, body: wrapped(qr) }),

    /** Answer of `GET /qr/{id}`. */
    code: (qr: QrCode): Answer => ok(wrapped(qr)),

    /** Answer of publish and destination. */
    changed(qr: QrCode): Answer {
      if (shape.change === 'empty') return { status: 204, body: null };
      return ok({ summary: wrapped(qr), ok: { ok: true }, wrapped: { ok: true, qr } }[shape.change]);
    },

    /** Answer of a list. */
    list(rows: Row[], nextCursor: string | null, rest: Row = {}): Answer {
      if (isArray()) return ok(rows);
      const end = { null: { nextCursor: null }, empty: { nextCursor: '' }, missing: {} }[shape.listEnd];
      const envelope = { ...rest, pagination: nextCursor === null ? end : { nextCursor } };
      const named = { [shape.listKey]: rows };
      return ok(
        {
          none: { ...named, ...envelope },
          rows: { data: named, ...envelope },
          page: { data: { ...named, ...envelope } },
        }[shape.listNesting],
      );
    },

    /** A row of `GET /scans`. Dimensions that are switched off are omitted (API text, "Scan history"). */
    scan({ id, qrId, scannedAt, visit }: Scan, allowed: readonly Dimension[]): Row {
      const dimensions = Object.fromEntries(allowed.map((dimension) => [dimension, visit[dimension]]));
      const row = { qrId, scannedAt: new Date(scannedAt).toISOString(), ...dimensions };
      return shape.scanRow === 'with id' ? { id, ...row } : row;
    },

    /** Answer of `POST /webhooks`: the only one that ever carries the secret. */
    subscribed({ id, url, eventTypes, createdAt, secret }: Subscription): Answer {
      const record = { id, url, eventTypes, createdAt: new Date(createdAt).toISOString() };
      const named = { [shape.secretKey]: secret };
      const flat = { ...record, ...named };
      const body = {
        flat,
        wrapped: { subscription: flat },
        beside: { subscription: record, ...named },
        webhook: { webhook: flat },
        'webhook beside': { webhook: record, ...named },
      }[shape.subscription];
      return { status: 201, body };
    },

    /**
     * Answer of `DELETE /webhooks/{id}` once the subscription is removed; the API text does not show it.
     * @throws ApiFailure before anything is removed, where there is no such endpoint
     */
    unsubscribed(id: string, remove: () => void): Answer {
      const status = shape.unsubscribe;
      if (status === 404) throw refuse('not_found', `There is nothing at DELETE /webhooks/${id}.`);
      if (status === 405) throw new ApiFailure('method_not_allowed', 405, 'DELETE is not allowed here.');
      if (status === 501) throw new ApiFailure('not_implemented', 501, 'There is no removal yet.');
      remove();
      return status === 204 ? { status, body: null } : ok({ id, removed: true });
    },

    /** Value of X-RateLimit-Reset. Times in milliseconds since the epoch. */
    reset: (endsAt: number, now: number): string => resetHeader(shape.reset, endsAt, now),

    /** Answer of a refusal. */
    failure(failure: ApiFailure, requestId: string): Answer {
      const { code, status, message, details } = failure;
      if (shape.error === 'html') return { status, body: failurePage(status) };
      const title = statusTitle(status);
      const facts = { message, code, ...(details === undefined ? {} : { details }), requestId };
      if (shape.error === 'nested') return { status, body: { error: facts } };
      // The API text has both carry the same text here.
      return { status, body: { error: code === 'insufficient_scope' ? message : title, ...facts } };
    },
  };

  function wrapped(qr: QrCode): object {
    return shape.record === 'flat' ? qr : { [shape.record]: qr };
  }
}

function ok(body: object): Answer {
  return { status: 200, body };
}

/** A failure as a page of HTML, as a proxy makes it. */
export function failurePage(status: number): string {
  return `<!DOCTYPE html><title>${status}</title><h1>${statusTitle(status)}</h1>`;
}

function statusTitle(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}
