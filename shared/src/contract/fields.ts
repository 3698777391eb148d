import { BRAND } from './brand.ts';
import type { QrCode, ScanRow } from './types.ts';

/** Label, description and type of an output field. */
export interface FieldDefinition {
  key: string;
  label: string;
  type: 'string' | 'integer' | 'datetime';
  nullable?: true;
  description: string;
}

function field(key: string, label: string, description: string, details: Partial<FieldDefinition> = {}) {
  return { key, label, type: 'string', description, ...details } satisfies FieldDefinition;
}

/** Fields of a QR code's summary, its ID and then those that people need first (docs/api.md#qr-codes). */
export const QR_CODE_FIELDS: readonly FieldDefinition[] = [
  field('id', 'QR Code ID', 'Identifier of the code.'),
  field('name', 'Name', 'Display name of the code.'),
  field('publicUrl', 'Short Link', 'The URL encoded in the printed code.'),
  field('status', 'Status', 'State of the code, for example published.'),
  field('slug', 'Slug', 'Created by the service from the name plus a short suffix.'),
  field('mode', 'Mode', 'Whether its destination can change (dynamic).'),
  field('contentType', 'Content Type', 'Kind of content, for example url.'),
  field('approvalState', 'Approval State', 'State of its approval, for example not_required.'),
  field('folderId', 'Folder ID', 'Folder that contains the code, if any.', { nullable: true }),
  field('updatedAt', 'Updated At', 'When the code last changed, in UTC.', { type: 'datetime' }),
];

/** Fields that every scan has. None is documented (docs/api.md#scans), so all others are passed through. */
export const SCAN_FIELDS: readonly FieldDefinition[] = [
  field('id', 'Scan ID', 'Identifier of the scan.'),
  field('qrId', 'QR Code ID', 'The code that was scanned.'),
  field('scannedAt', 'Scanned At', 'When it was scanned, in UTC.', { type: 'datetime', nullable: true }),
];

/** Fields that every event row starts with (docs/api.md#events, docs/api.md#deliveries). */
export const EVENT_ENVELOPE_FIELDS: readonly FieldDefinition[] = [
  field('eventId', 'Event ID', 'Identifier of the event, the same in every delivery.'),
  field('type', 'Event Type', 'Name of the event.'),
  field('occurredAt', 'Occurred At', 'When the event happened, in UTC.', { type: 'datetime' }),
  field('deliveryId', 'Delivery ID', 'Identifier of the delivery that contained it.', { nullable: true }),
  field('workspaceId', 'Workspace ID', 'Workspace in which it happened.'),
];

/** Fields that an event about a code adds to its row (docs/api.md#events). */
export const CODE_EVENT_FIELDS: readonly FieldDefinition[] = [
  field('id', 'QR Code ID', 'The same as in other rows about the code.'),
  field('qrId', 'QR Code ID', 'Identifier of the code.'),
  field('source', 'Source', 'What caused the event, for example public_api.'),
  ...QR_CODE_FIELDS.slice(1),
];

/** Fields that an event about a feedback response adds to its row (docs/api.md#events). */
export const FEEDBACK_EVENT_FIELDS: readonly FieldDefinition[] = [
  field('responseId', 'Response ID', 'Identifier of the response.'),
  field('campaignId', 'Campaign ID', 'Campaign that collected the response.'),
  field('placementId', 'Placement ID', 'Placement that collected the response.'),
  field('score', 'Score', 'Score of the response.', { type: 'integer' }),
  field('scoreKind', 'Score Kind', 'Scale of the score, for example nps.'),
];

/** Example of a QR code's summary, for pickers, samples and tests. */
export const SAMPLE_QR_CODE: QrCode = {
  id: 'qr_7hK2pQ',
  name: 'Table 4',
  publicUrl: `${BRAND.redirectUrl}/table-4-7hk2`,
  status: 'published',
  slug: 'table-4-7hk2',
  mode: 'dynamic',
  contentType: 'url',
  approvalState: 'not_required',
  folderId: null,
  updatedAt: '2026-01-15T09:30:00.000Z',
};

/** Example of a scan. Its fields aren't documented (docs/api.md#scans), and privacy settings remove some. */
export const SAMPLE_SCAN: ScanRow = {
  id: 'scan_0001',
  qrId: SAMPLE_QR_CODE.id,
  scannedAt: '2026-01-15T10:02:11.000Z',
};
