import { html } from 'hono/html';
import { LOW_SCORE_THRESHOLD } from '../../domain/feedback.ts';
import type { FeedbackResponse } from '../../store/records.ts';
import { action, badge, dateTime, type Html } from '../html/parts.ts';
import { table } from '../html/table.ts';

/** The latest responses to feedback forms. @param nameOf returns a code's name, if it still exists */
export function feedbackInbox(
  responses: readonly FeedbackResponse[],
  nameOf: (qrId: string) => string | undefined,
): Html | string {
  if (responses.length === 0) return '';
  const rows = responses.map(({ id, qrId, score, receivedAt, resolvedAt }) => ({
    id,
    cells: [
      badge(String(score), score < LOW_SCORE_THRESHOLD ? 'bad' : 'good'),
      nameOf(qrId) ?? html`<code>${qrId}</code>`,
      dateTime(receivedAt),
      resolvedAt === null
        ? action(`/codes/feedback/${id}/resolve`, 'Mark as resolved')
        : badge('resolved', 'idle'),
    ],
  }));
  const columns = [{ name: 'Score' }, { name: 'Code' }, { name: 'Received', wide: true }, { name: 'Status' }];
  return html`<section aria-labelledby="inbox">
    <h2 id="inbox">Feedback inbox</h2>
    ${table('Responses to feedback forms, newest first', columns, rows)}
  </section>`;
}
