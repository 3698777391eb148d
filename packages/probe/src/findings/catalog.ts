import type { Scope } from '@qr-service/core';
import { AREAS, type Area } from './Finding.ts';

/** What the probe looks for. */
export interface Question {
  title: string;
  /**
   * Needs `--write`.
   * @default false
   */
  write?: boolean;
  /**
   * Scope that the key needs.
   * @default any valid key will do
   */
  scope?: Scope;
}

/** Everything that the probe looks for, in the order of the report. */
export const QUESTIONS = {
  'connection.reach': { title: 'The service can be reached' },
  'connection.key': { title: 'API key' },
  'connection.headers': { title: 'Headers that may contain the key' },
  'account.body': { title: 'Response to GET /me' },
  'account.scopes': { title: 'Scopes of the key' },
  'codes.fields': { title: 'Fields of a code', scope: 'qr:read' },
  'codes.record': { title: 'Response with one code', scope: 'qr:read' },
  'codes.create': { title: 'Creating a code', write: true, scope: 'qr:write' },
  'codes.name': { title: 'Name of a new code', write: true, scope: 'qr:write' },
  'codes.publish': { title: 'Publishing', write: true, scope: 'qr:write' },
  'codes.destination': { title: 'Updating the destination', write: true, scope: 'qr:write' },
  'codes.redirect': { title: 'Short link of a published code', write: true, scope: 'qr:write' },
  'codes.retargeted': { title: 'Short link after the update', write: true, scope: 'qr:write' },
  'lists.key': { title: 'List of codes', scope: 'qr:read' },
  'lists.walk': { title: 'Walk over several pages', scope: 'qr:read' },
  'lists.visibility': { title: 'Time until a new code is listed', write: true, scope: 'qr:write' },
  'lists.edits': { title: 'Walk while a code changes', write: true, scope: 'qr:write' },
  'lists.since': { title: 'Codes since a time', scope: 'qr:read' },
  'scans.list': { title: 'List of scans', scope: 'analytics:read' },
  'scans.fields': { title: 'Fields of a scan', scope: 'analytics:read' },
  'scans.cursor': { title: 'Cursor of the last page of scans', scope: 'analytics:read' },
  'scans.since': { title: 'Scans since a time', scope: 'analytics:read' },
  'images.png': { title: 'PNG', scope: 'exports:read' },
  'images.svg': { title: 'SVG', scope: 'exports:read' },
  'images.pdf': { title: 'PDF', scope: 'exports:read' },
  'webhooks.subscription': { title: 'New webhook subscription', write: true, scope: 'webhooks:write' },
  'webhooks.secret': { title: 'Field with the signing secret', write: true, scope: 'webhooks:write' },
  'webhooks.unsubscribe': { title: 'Unsubscribing', write: true, scope: 'webhooks:write' },
  'errors.body': { title: 'Body of an error' },
  'errors.unauthorized': { title: 'Unknown API key' },
  'errors.notFound': { title: 'Code that does not exist', scope: 'qr:read' },
  'errors.cursor': { title: 'Invalid cursor', scope: 'qr:read' },
  'limits.headers': { title: 'Rate limit' },
  'idempotency.replay': { title: 'Same Idempotency-Key, same input', write: true, scope: 'qr:write' },
  'idempotency.conflict': { title: 'Same Idempotency-Key, different input', write: true, scope: 'qr:write' },
} as const satisfies Record<string, Question>;

/** Why what needs `--write` is open without it. */
export const OPEN_WRITE = "It can't be seen without creating something. Run the probe again with --write.";

/** Stable name of a finding. */
export type FindingId = keyof typeof QUESTIONS;

/** Everything that the probe looks for, in the order of the report. */
export const FINDING_IDS = Object.keys(QUESTIONS) as readonly FindingId[];

/** The part of the API that a finding is about: the first word of its name. */
export const areaOf = (id: FindingId): Area =>
  AREAS.find((area) => id.startsWith(`${area.toLowerCase()}.`)) as Area;
