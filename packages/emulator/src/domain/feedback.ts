import type { EventType } from '@qr-service/core';
import type { FeedbackResponse } from '../store/feedback.ts';
import type { Store } from '../store/index.ts';
import { RecordNotFoundError } from './RecordNotFoundError.ts';
import type { EmitEvent } from './emitEvent.ts';

/** Scores of an answer. The API text names `nps`, which is asked from 0 to 10. */
export const SCORES = { kind: 'nps', least: 0, most: 10 } as const;

/**
 * The workspace's low-score threshold: an answer under it is a low one. 7 takes in everyone whom the net promoter
 * score counts as a detractor. Notify-on-low-score is always on.
 */
export const LOW_SCORE_THRESHOLD = 7;

/** What can be done with the feedback form that stands behind each code. */
export type Feedback = ReturnType<typeof feedbackService>;

export function feedbackService(store: Store, emitEvent: EmitEvent, now: () => number) {
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
    /** @throws TypeError for a score that can't be given */
    respond(qrId: string, score: number): FeedbackResponse {
      if (!Number.isInteger(score) || score < SCORES.least || score > SCORES.most)
        throw new TypeError(`The score must be a whole number from ${SCORES.least} to ${SCORES.most}.`);
      return store.transaction(() => {
        const response = store.feedback.record(qrId, score, now());
        emit(response, 'feedback.response_received');
        if (score < LOW_SCORE_THRESHOLD) emit(response, 'feedback.low_score_received');
        return response;
      });
    },
    /** @throws Error when there is no such response, or it is resolved already */
    resolve(id: string): void {
      store.transaction(() => {
        const response = store.feedback.find(id);
        if (response === undefined || !store.feedback.resolve(id, now()))
          throw new RecordNotFoundError(`There is no open feedback response ${id}.`);
        emit(response, 'feedback.response_resolved');
      });
    },
  };
}
