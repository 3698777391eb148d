import { integer } from '../validation/checks.ts';
import { readInput } from '../validation/input.ts';
import type { EmulatorContext } from './context.ts';

/** Scores of a response. The one documented kind is `nps`, whose scale is 0 to 10. */
export const SCORE = integer(0, 10);

/**
 * The workspace's low-score threshold: lower scores also fire the low-score event. The Net Promoter Score counts everyone
 * below 7 as a detractor.
 */
const LOW_SCORE_THRESHOLD = 7;

/** Submits the feedback form behind a code and returns the response's ID. @throws InputError for an invalid score */
export function submitFeedback(
  { store, emitEvent, settings }: EmulatorContext,
  qrId: string,
  score: number,
): string {
  readInput(SCORE, score, 'score');
  const responseId = store.ids.newId('resp');
  const data = {
    responseId,
    campaignId: store.workspace.id.replace(/^ws/, 'camp'),
    placementId: qrId.replace(/^qr/, 'plc'),
    score,
    scoreKind: 'nps',
  };
  emitEvent('feedback.response_received', data);
  if (score < LOW_SCORE_THRESHOLD && settings().lowScoreNotices)
    emitEvent('feedback.low_score_received', data);
  return responseId;
}
