import type { Scope } from '@qr-service/core';
import type { Area } from './Finding.ts';

/** What the probe looks for. */
export interface Question {
  area: Area;
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
  'connection.reach': { area: 'Connection', title: 'The service can be reached' },
  'connection.key': { area: 'Connection', title: 'API key' },
  'connection.headers': { area: 'Connection', title: 'Headers that may contain the key' },
  'connection.contentType': { area: 'Connection', title: 'Content type of responses' },
  'account.body': { area: 'Account', title: 'Response to GET /me' },
  'account.scopes': { area: 'Account', title: 'Scopes of the key' },
  'codes.fields': { area: 'Codes', title: 'Fields of a code', scope: 'qr:read' },
  'codes.record': { area: 'Codes', title: 'Response with one code', scope: 'qr:read' },
  'codes.create': { area: 'Codes', title: 'Creating a code', write: true, scope: 'qr:write' },
  'codes.publish': { area: 'Codes', title: 'Response to publishing', write: true, scope: 'qr:write' },
  'codes.destination': {
    area: 'Codes',
    title: 'Response to updating the destination',
    write: true,
    scope: 'qr:write',
  },
  'codes.redirect': {
    area: 'Codes',
    title: 'Short link of a published code',
    write: true,
    scope: 'qr:write',
  },
  'lists.key': { area: 'Lists', title: 'Name of the array of rows', scope: 'qr:read' },
  'lists.nesting': { area: 'Lists', title: 'Nesting of the rows', scope: 'qr:read' },
  'lists.end': { area: 'Lists', title: 'Cursor of the last page', scope: 'qr:read' },
  'lists.walk': { area: 'Lists', title: 'Walk over several pages', scope: 'qr:read' },
  'lists.order': { area: 'Lists', title: 'Order of codes', scope: 'qr:read' },
  'lists.since': { area: 'Lists', title: 'Codes updated at exactly updatedSince', scope: 'qr:read' },
  'lists.limit': { area: 'Lists', title: 'Page size', scope: 'qr:read' },
  'lists.visibility': {
    area: 'Lists',
    title: 'Time until a new code is listed',
    write: true,
    scope: 'qr:write',
  },
  'scans.list': { area: 'Scans', title: 'List of scans', scope: 'analytics:read' },
  'scans.fields': { area: 'Scans', title: 'Fields of a scan', scope: 'analytics:read' },
  'scans.dimensions': { area: 'Scans', title: 'Allowed dimensions', scope: 'analytics:read' },
  'scans.cursor': { area: 'Scans', title: 'Cursor of the last page of scans', scope: 'analytics:read' },
  'scans.order': { area: 'Scans', title: 'Order of scans', scope: 'analytics:read' },
  'scans.since': { area: 'Scans', title: 'Scans at exactly since', scope: 'analytics:read' },
  'images.defaults': { area: 'Images', title: 'Image without format and size', scope: 'exports:read' },
  'images.formats': { area: 'Images', title: 'Formats', scope: 'exports:read' },
  'images.unit': { area: 'Images', title: 'Unit of size', scope: 'exports:read' },
  'webhooks.subscription': {
    area: 'Webhooks',
    title: 'New webhook subscription',
    write: true,
    scope: 'webhooks:write',
  },
  'webhooks.secret': {
    area: 'Webhooks',
    title: 'Field with the signing secret',
    write: true,
    scope: 'webhooks:write',
  },
  'webhooks.unsubscribe': { area: 'Webhooks', title: 'Unsubscribing', write: true, scope: 'webhooks:write' },
  'errors.body': { area: 'Errors', title: 'Body of an error' },
  'errors.unauthorized': { area: 'Errors', title: 'Unknown API key' },
  'errors.notFound': { area: 'Errors', title: 'Code that does not exist', scope: 'qr:read' },
  'errors.cursor': { area: 'Errors', title: 'Invalid cursor', scope: 'qr:read' },
  'errors.scope': { area: 'Errors', title: 'Missing scope' },
  'errors.validation': { area: 'Errors', title: 'Invalid input', write: true, scope: 'qr:write' },
  'limits.headers': { area: 'Limits', title: 'Rate limit' },
  'limits.reset': { area: 'Limits', title: 'Unit of X-RateLimit-Reset' },
  'idempotency.replay': {
    area: 'Idempotency',
    title: 'Same Idempotency-Key, same input',
    write: true,
    scope: 'qr:write',
  },
  'idempotency.conflict': {
    area: 'Idempotency',
    title: 'Same Idempotency-Key, different input',
    write: true,
    scope: 'qr:write',
  },
  'idempotency.refusal': {
    area: 'Idempotency',
    title: 'Refusals under the same Idempotency-Key',
    write: true,
    scope: 'qr:write',
  },
  'clock.date': { area: 'Clock', title: "The service's clock" },
} as const satisfies Record<string, Question>;

/** Stable name of a finding. */
export type FindingId = keyof typeof QUESTIONS;

/** Everything that the probe looks for, in the order of the report. */
export const FINDING_IDS = Object.keys(QUESTIONS) as readonly FindingId[];
