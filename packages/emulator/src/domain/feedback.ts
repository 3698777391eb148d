import type { Store } from '../store/index.ts';
import { isInteger } from '../validation/checks.ts';
import { field, readInput } from '../validation/input.ts';
import type { EmitEvent } from './events.ts';

/** Scores of a response. The API text names `nps`, whose scale is 0 to 10. */
export const SCORES = { kind: 'nps', min: 0, max: 10 } as const;

/**
 * The workspace's low-score threshold: lower scores also fire the low-score event. The Net Promoter Score counts everyone
 * below 7 as a detractor.
 */
export const LOW_SCORE_THRESHOLD = 7;

/** Submits the feedback form behind a code and returns the response's ID. @throws InputError for an invalid score */
export type SubmitFeedback = (qrId: string, score: number) => string;

/** @param notifiesOnLowScore whether notify-on-low-score is on */
export function createSubmitFeedback(
  store: Store,
  emitEvent: EmitEvent,
  notifiesOnLowScore: () => boolean,
): SubmitFeedback {
  return (qrId, score) => {
    readInput(field(isInteger(SCORES.min, SCORES.max)), score, 'score');
    const responseId = store.ids.newId('resp');
    const data = {
      responseId,
      campaignId: store.workspace.id.replace(/^ws/, 'camp'),
      placementId: qrId.replace(/^qr/, 'plc'),
      score,
      scoreKind: SCORES.kind,
    };
    emitEvent('feedback.response_received', data);
    if (score < LOW_SCORE_THRESHOLD && notifiesOnLowScore()) emitEvent('feedback.low_score_received', data);
    return responseId;
  };
}
