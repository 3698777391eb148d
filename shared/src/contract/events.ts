import {
  CODE_EVENT_FIELDS,
  EVENT_ENVELOPE_FIELDS,
  FEEDBACK_EVENT_FIELDS,
  SAMPLE_QR_CODE,
  type FieldDefinition,
} from './fields.ts';
import type { QrCode } from './types.ts';

/** How one of the service's events is presented to users. */
export interface EventDefinition {
  /** Title Case noun phrase. */
  label: string;
  /** What the event is about: a singular noun in title case. */
  noun: string;
  /** One sentence, 40 to 140 characters. */
  description: string;
  about: 'code' | 'feedback' | 'other';
  /** Whether its data is documented (docs/api.md#events): if not, `sampleData` is modeled on similar events. */
  dataDocumented: boolean;
  sampleData: Record<string, unknown>;
}

type Facts = Omit<EventDefinition, 'label' | 'description'>;

/** The statuses are documented or implied (docs/api.md#states). */
const qr = (status: string): Facts => ({
  noun: 'QR Code',
  about: 'code',
  dataDocumented: true,
  sampleData: { qrId: SAMPLE_QR_CODE.id, source: 'public_api', qr: { ...SAMPLE_QR_CODE, status } },
});
const FEEDBACK: Facts = {
  noun: 'Feedback Response',
  about: 'feedback',
  dataDocumented: true,
  sampleData: {
    responseId: 'resp_5fQ2mX',
    campaignId: 'camp_8sLw0B',
    placementId: 'plc_1dNr7T',
    score: 3,
    scoreKind: 'nps',
  },
};
const OTHER: Pick<Facts, 'about' | 'sampleData'> = { about: 'other', sampleData: {} };
const undocumented = (noun: string, like = OTHER): Facts => ({ ...like, noun, dataDocumented: false });
const event = (label: string, when: string, facts = qr('published')): EventDefinition => ({
  label,
  description: `Triggers when ${when}.`,
  ...facts,
});

/** The service's events (docs/api.md#events), in the order of its documentation. */
export const EVENTS = {
  'qr.created': event('QR Code Created', 'a QR code is created, in the app or through the API', qr('draft')),
  'qr.published': event('QR Code Published', 'a QR code is published and its short link starts working'),
  'qr.updated': event('QR Code Updated', 'the content, design, name or status of a QR code changes'),
  'qr.archived': event(
    'QR Code Archived',
    'a QR code is archived and its short link stops working',
    qr('archived'),
  ),
  'qr.deleted': event('QR Code Deleted', 'a QR code is permanently deleted', qr('deleted')),
  'redirect.rule_changed': event(
    'Redirect Rule Changed',
    'the destination or a targeting rule of a QR code changes',
    undocumented('Redirect Rule', qr('published')),
  ),
  'scan.aggregate_ready': event(
    'Scan Aggregate Ready',
    'an aggregate of scans is ready. The event contains no individual scans',
    undocumented('Scan Summary'),
  ),
  'export.ready': event('Export Ready', 'an asynchronous export has finished', undocumented('Export')),
  'approval.changed': event(
    'Approval Changed',
    'a QR code is approved or rejected in a review',
    undocumented('Approval', qr('published')),
  ),
  'bulk.completed': event(
    'Bulk Job Completed',
    'a bulk job in the workspace has finished',
    undocumented('Bulk Job'),
  ),
  'feedback.response_received': event(
    'Feedback Response Received',
    'a feedback form is submitted, once for every response',
    FEEDBACK,
  ),
  'feedback.low_score_received': event(
    'Low Score Received',
    'a response scores below your low-score threshold, while notify-on-low-score is on',
    undocumented('Feedback Response', FEEDBACK),
  ),
  'feedback.response_resolved': event(
    'Feedback Response Resolved',
    'a feedback response is marked resolved in the inbox',
    undocumented('Feedback Response', FEEDBACK),
  ),
  'feedback.campaign_published': event(
    'Feedback Campaign Published',
    'a feedback placement goes live',
    undocumented('Feedback Campaign'),
  ),
} as const satisfies Record<string, EventDefinition>;

/** Name of one of the service's events. */
export type EventType = keyof typeof EVENTS;

interface EventEnvelope {
  /** The same in every delivery of the event: deduplicate by it. */
  id: string;
  workspaceId: string;
  /** ISO 8601 UTC. */
  occurredAt: string;
}

/** An event about a code. */
export interface QrCodeEvent extends EventEnvelope {
  type: 'qr.created' | 'qr.published' | 'qr.updated' | 'qr.archived' | 'qr.deleted';
  data: {
    qrId: string;
    /** What caused it, for example `public_api`. */
    source: string;
    qr: QrCode;
  };
}

/** An event about a new feedback response. It never contains free text. */
export interface FeedbackEvent extends EventEnvelope {
  type: 'feedback.response_received';
  data: {
    responseId: string;
    campaignId: string;
    placementId: string;
    score: number;
    /** For example `nps`. */
    scoreKind: string;
  };
}

/** Any other event: its data isn't documented. The service may add types: `event.type as string` is any of them. */
export interface OtherEvent extends EventEnvelope {
  // Not any string, as the known types wouldn't narrow `data` then.
  type: Exclude<EventType, (QrCodeEvent | FeedbackEvent)['type']>;
  data: Record<string, unknown>;
}

/** An event of which only the envelope is known. */
export interface AnyEvent extends EventEnvelope {
  type: string;
  data: object;
}

/** A signed event (docs/api.md#events). Its `type` says which `data` it has. Types that the service adds pass through. */
export type WebhookEvent = QrCodeEvent | FeedbackEvent | OtherEvent;

/** Names of all events, in that order. */
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

/** Events whose data isn't documented. */
export const UNDOCUMENTED_EVENTS = EVENT_TYPES.filter((type) => !EVENTS[type].dataDocumented);

const DATA_FIELDS = { code: CODE_EVENT_FIELDS, feedback: FEEDBACK_EVENT_FIELDS, other: [] };

/** Fields of the row that `eventRow` returns for an event of this type. */
export function eventFields(type: EventType): readonly FieldDefinition[] {
  return [...EVENT_ENVELOPE_FIELDS, ...DATA_FIELDS[EVENTS[type].about]];
}
