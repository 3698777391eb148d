import { omitUndefined } from '@qr-service/core/connector';
import type { ErrorCode, QrCode } from '@qr-service/core';
import type { FixedSettings } from '../../../config/options.ts';
import type { WireShape } from '@qr-service/core/shape';
import type { ApiKey } from '../../../store/records.ts';
import type { Scan } from '../../../store/records.ts';
import type { Subscription } from '../../../store/records.ts';
import type { Workspace } from '../../../store/records.ts';
import { ApiFailure, apiFailure } from '../../apiFailure.ts';
import type { ApiResponse } from './apiResponse.ts';
import { failurePage, statusTitle } from './failurePage.ts';
import { resetHeader } from './resetHeader.ts';

type Row = Record<string, unknown>;

/** Formats every response whose form the API text leaves open, in the current wire shape. */
export type ResponseFormatter = ReturnType<typeof createResponseFormatter>;

/** @param shape returns the current wire shape */
export function createResponseFormatter(
  shape: () => Required<WireShape>,
  { scanFields, missing, errors }: FixedSettings,
) {
  const isArray = () => shape().listKey === 'top-level array';

  return {
    /** Order in which codes are listed. */
    get order() {
      return shape().listOrder;
    },
    /** Largest `limit`. */
    get maxPageSize() {
      return shape().maxLimit;
    },
    /** What a repeated Idempotency-Key does. */
    get idempotency() {
      return shape().idempotency;
    },
    /** Whether lists are paginated. A top-level array can't carry a cursor, so it always holds every row. */
    get isPaged() {
      return !isArray() || shape().listEnd === 'never';
    },

    /** Whether every page of codes has a cursor, even the last one. */
    get isFeed() {
      return shape().listEnd === 'repeated' && !isArray();
    },

    /** Whether every page of scans has a cursor, even the last one. */
    get isScanFeed() {
      return shape().scanCursor === 'always' && !isArray();
    },

    /** Earliest time, in milliseconds since the epoch, that `updatedSince` and `since` include. */
    earliestSince: (since: number): number => (shape().listSince === 'inclusive' ? since : since + 1),

    /** Response to `GET /me`. */
    account({ id, name }: Workspace, key: ApiKey): ApiResponse {
      const nested = { workspace: { id, name }, scopes: key.scopes, key: { name: key.name } };
      const flat = { workspaceId: id, workspaceName: name, scopes: key.scopes, keyName: key.name };
      return ok({ nested, flat, wrapped: { data: nested } }[shape().account]);
    },

    /** Response to `POST /qr`. */
    created: (qr: QrCode): ApiResponse => ({ status: 201, body: wrapped(sent(qr)) }),

    /** Response to `GET /qr/{id}`. */
    code: (qr: QrCode): ApiResponse => ok(wrapped(sent(qr))),

    /** Response to publish and destination. */
    changed(code: QrCode): ApiResponse {
      const qr = sent(code);
      const { change } = shape();
      if (change === 'empty') return { status: 204, body: null };
      return ok({ summary: wrapped(qr), ok: { ok: true }, wrapped: { ok: true, qr } }[change]);
    },

    /** Response to a list request. @param extra further properties of the page */
    list(all: readonly object[], nextCursor: string | null, extra: Row = {}): ApiResponse {
      const rows = all.map(sent);
      if (isArray()) return ok(rows);
      const { listEnd } = shape();
      const end = listEnd === 'missing' ? {} : { nextCursor: listEnd === 'empty' ? '' : null };
      const pagination = nextCursor === null ? end : { nextCursor };
      const envelope = { ...sent(extra), ...(listEnd !== 'never' && { pagination }) };
      const named = { [shape().listKey]: rows };
      return ok(
        {
          none: { ...named, ...envelope },
          rows: { data: named, ...envelope },
          page: { data: { ...named, ...envelope } },
        }[shape().listNesting],
      );
    },

    /** A row of `GET /scans`, without the dimensions that aren't allowed (API text, "Scan history"). */
    scan({ id, qrId, scannedAt, visit }: Scan, allowed: readonly string[]): Row {
      const known: Readonly<Record<string, string | null>> = visit;
      const dimensions = Object.fromEntries(
        allowed.map((dimension) => [dimension, known[dimension] ?? null]),
      );
      const time = new Date(scannedAt).toISOString();
      return {
        ...(shape().scanRow === 'with id' && { [scanFields.id]: id }),
        [scanFields.qrId]: qrId,
        [scanFields.scannedAt]: time,
        ...dimensions,
      };
    },

    /** Response to `POST /webhooks`, the only response with the secret. */
    subscribed({ id, url, eventTypes, createdAt, secret }: Subscription): ApiResponse {
      const record = { id, url, eventTypes, createdAt: new Date(createdAt).toISOString() };
      const named = { [shape().secretKey]: secret };
      const flat = { ...record, ...named };
      const body = {
        flat,
        wrapped: { subscription: flat },
        beside: { subscription: record, ...named },
        webhook: { webhook: flat },
        'webhook beside': { webhook: record, ...named },
      }[shape().subscription];
      return { status: 201, body };
    },

    /**
     * Removes a subscription and responds to `DELETE /webhooks/{id}`, which the API text doesn't document.
     * @throws ApiFailure, without removing anything, if the endpoint doesn't exist in the wire shape
     */
    unsubscribed(id: string, remove: () => void): ApiResponse {
      const [status, form] = splitForm(shape().unsubscribe);
      if (form !== undefined) return { status, body: form === 'page' ? failurePage(status) : null };
      if (status === 404) throw apiFailure('not_found', `No endpoint DELETE /webhooks/${id} exists.`);
      if (status === 405) throw new ApiFailure('method_not_allowed', 405, 'DELETE is not allowed here.');
      if (status === 410) throw new ApiFailure('gone', 410, 'Subscriptions can no longer be removed.');
      if (status === 501)
        throw new ApiFailure('not_implemented', 501, 'Removing subscriptions is not implemented yet.');
      remove();
      return status === 204 ? { status, body: null } : ok({ id, removed: true });
    },

    /** Value of X-RateLimit-Reset. Times in milliseconds since the epoch. */
    reset: (endsAt: number, now: number): string => resetHeader(shape().reset, endsAt, now),

    /** Response to a request that failed. */
    failure(failure: ApiFailure, requestId: string): ApiResponse {
      const { message, details } = failure;
      const { code, status } = errors[failure.code as ErrorCode] ?? failure;
      if (shape().error === 'html') return { status, body: failurePage(status) };
      const title = statusTitle(status);
      const fields = omitUndefined({ message, code: code ?? undefined, details, requestId });
      // For this code, `error` and `message` carry the same text (API text, "Error body").
      return { status, body: { error: code === 'insufficient_scope' ? message : title, ...fields } };
    },
  };

  /** The fields that the service has. */
  function sent(row: object): Row {
    const names: readonly string[] = missing;
    return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
  }

  function wrapped(qr: Row): object {
    return shape().record === 'flat' ? qr : { [shape().record]: qr };
  }
}

/** The status, and the form of the response where the wire shape names one. */
function splitForm(unsubscribe: number | string): [status: number, form: string | undefined] {
  const [status, form] = String(unsubscribe).split(' ');
  return [Number(status), form];
}

function ok(body: object): ApiResponse {
  return { status: 200, body };
}
