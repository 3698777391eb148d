import type { EventType } from '@qr-service/core';
import type { FeedbackResponse } from '../store/records.ts';
import type { Store } from '../store/index.ts';
import { RecordNotFoundError } from './RecordNotFoundError.ts';
import type { EmitEvent } from './emitEvent.ts';

/** Scores of a response. The API text names `nps`, whose scale is 0 to 10. */
export const SCORES = { kind: 'nps', min: 0, max: 10 } as const;

/**
 * The workspace's low-score threshold: lower scores also fire the low-score event. The Net Promoter Score counts everyone
 * below 7 as a detractor.
 */
export const LOW_SCORE_THRESHOLD = 7;

/** Operations on the feedback form behind each code. */
export type Feedback = ReturnType<typeof feedbackService>;

/** @param notifiesOnLowScore whether notify-on-low-score is on */
export function feedbackService(
  store: Store,
  emitEvent: EmitEvent,
  now: () => number,
  notifiesOnLowScore: () => boolean,
) {
  const emit = ({ id, qrId, score }: FeedbackResponse, ...types: EventType[]) => {
    const data = {
      responseId: id,
      campaignId: store.workspace.id.replace(/^ws/, 'camp'),
      placementId: qrId.replace(/^qr/, 'plc'),
      score,
      scoreKind: SCORES.kind,
    };
    for (const type of types) emitEvent(type, data);
  };
  return {
    /** @throws TypeError for a score outside the scale */
    respond(qrId: string, score: number): FeedbackResponse {
      if (!Number.isInteger(score) || score < SCORES.min || score > SCORES.max)
        throw new TypeError(`The score must be a whole number from ${SCORES.min} to ${SCORES.max}.`);
      const response = store.feedback.record(qrId, score, now());
      emit(response, 'feedback.response_received');
      if (score < LOW_SCORE_THRESHOLD && notifiesOnLowScore()) emit(response, 'feedback.low_score_received');
      return response;
    },
    /** @throws RecordNotFoundError when the response doesn't exist or is already resolved */
    resolve(id: string): void {
      const response = store.feedback.find(id);
      if (response === undefined || !store.feedback.resolve(id, now()))
        throw new RecordNotFoundError(`No open feedback response with ID ${id} was found.`);
      emit(response, 'feedback.response_resolved');
    },
  };
}
