import {
  CODE_EVENT_FIELDS,
  EVENT_ENVELOPE_FIELDS,
  FEEDBACK_EVENT_FIELDS,
  SAMPLE_QR_CODE,
  type FieldDefinition,
} from './fields.ts';

/** How one of the service's events is presented to users. */
export interface EventDefinition {
  /** Title Case noun phrase. */
  label: string;
  /** What the event is about: a singular noun in title case. */
  noun: string;
  /** One sentence, 40 to 140 characters. */
  description: string;
  about: 'code' | 'feedback' | 'other';
  /**
   * Whether the API text documents the event's data. If not, `sampleData` is modeled on similar events, and connectors
   * offer no separate trigger. Once a live run shows the data, describe it here and in `openapi.yaml`.
   */
  dataDocumented: boolean;
  /** Example of the envelope's `data`. */
  sampleData: Record<string, unknown>;
}

const feedbackData = {
  responseId: 'resp_5fQ2mX',
  campaignId: 'camp_8sLw0B',
  placementId: 'plc_1dNr7T',
  score: 3,
  scoreKind: 'nps',
};

type Details = Partial<Pick<EventDefinition, 'noun' | 'dataDocumented'>>;

/** @param status of the sample code, which the API text shows or implies ("States and transitions") */
const code = (
  label: string,
  description: string,
  { status = 'published', ...details }: Details & { status?: string } = {},
): EventDefinition => ({
  label,
  noun: 'QR Code',
  description,
  about: 'code',
  dataDocumented: true,
  sampleData: { qrId: SAMPLE_QR_CODE.id, source: 'public_api', qr: { ...SAMPLE_QR_CODE, status } },
  ...details,
});
const feedback = (label: string, description: string, dataDocumented: boolean): EventDefinition => ({
  label,
  noun: 'Feedback Response',
  description,
  about: 'feedback',
  dataDocumented,
  sampleData: feedbackData,
});
const other = (label: string, noun: string, description: string): EventDefinition => ({
  label,
  noun,
  description,
  about: 'other',
  dataDocumented: false,
  sampleData: {},
});

/** The service's events, in the API text's order ("Events"). */
export const EVENTS = {
  'qr.created': code(
    'QR Code Created',
    'Triggers when a QR code is created, in the app or through the API.',
    {
      status: 'draft',
    },
  ),
  'qr.published': code(
    'QR Code Published',
    'Triggers when a QR code is published and its short link starts working.',
  ),
  'qr.updated': code(
    'QR Code Updated',
    'Triggers when the content, design, name or status of a QR code changes.',
  ),
  'qr.archived': code(
    'QR Code Archived',
    'Triggers when a QR code is archived and its short link stops working.',
    { status: 'archived' },
  ),
  'qr.deleted': code('QR Code Deleted', 'Triggers when a QR code is permanently deleted.', {
    status: 'deleted',
  }),
  'redirect.rule_changed': code(
    'Redirect Rule Changed',
    'Triggers when the destination or a targeting rule of a QR code changes.',
    { noun: 'Redirect Rule', dataDocumented: false },
  ),
  'scan.aggregate_ready': other(
    'Scan Aggregate Ready',
    'Scan Summary',
    'Triggers when an aggregate of scans is ready. The event contains no individual scans.',
  ),
  'export.ready': other('Export Ready', 'Export', 'Triggers when an asynchronous export has finished.'),
  'approval.changed': code(
    'Approval Changed',
    'Triggers when a QR code is approved or rejected in a review.',
    { noun: 'Approval', dataDocumented: false },
  ),
  'bulk.completed': other(
    'Bulk Job Completed',
    'Bulk Job',
    'Triggers when a bulk job in the workspace has finished.',
  ),
  'feedback.response_received': feedback(
    'Feedback Response Received',
    'Triggers when a feedback form is submitted, once for every response.',
    true,
  ),
  'feedback.low_score_received': feedback(
    'Low Score Received',
    'Triggers when a response scores below your low-score threshold, while notify-on-low-score is on.',
    false,
  ),
  'feedback.response_resolved': feedback(
    'Feedback Response Resolved',
    'Triggers when a feedback response is marked resolved in the inbox.',
    false,
  ),
  'feedback.campaign_published': other(
    'Feedback Campaign Published',
    'Feedback Campaign',
    'Triggers when a feedback placement goes live.',
  ),
} as const satisfies Record<string, EventDefinition>;

/** Name of one of the service's events. */
export type EventType = keyof typeof EVENTS;

/** A signed event (API text, "Envelope"). Types that the API text doesn't list are passed through. */
export interface WebhookEvent {
  /** The same in every delivery of the event: deduplicate by it. */
  id: string;
  /** Name of the event. */
  type: EventType | (string & {});
  /** Workspace in which it happened. */
  workspaceId: string;
  /** ISO 8601 UTC. */
  occurredAt: string;
  /** What the event is about; its fields depend on `type`. */
  data: Record<string, unknown>;
}

/**
 * Names of all events, in the API text's order.
 */
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

/** Events whose data isn't documented. */
export const UNSEEN_EVENTS: readonly EventType[] = EVENT_TYPES.filter((type) => !EVENTS[type].dataDocumented);

/** Fields of the row that `eventRow` returns for an event of this type. */
export function eventFields(type: EventType): readonly FieldDefinition[] {
  const { about } = EVENTS[type];
  if (about === 'code') return [...EVENT_ENVELOPE_FIELDS, ...CODE_EVENT_FIELDS];
  if (about === 'feedback') return [...EVENT_ENVELOPE_FIELDS, ...FEEDBACK_EVENT_FIELDS];
  return EVENT_ENVELOPE_FIELDS;
}
