import type { Database } from './database.ts';
import { toRecord, type Row } from './toRecord.ts';

/** A stored response to the feedback form behind a code, without its free text. */
export interface FeedbackResponse {
  /** Sequence number in the history. */
  seq: number;
  id: string;
  qrId: string;
  score: number;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** Null while unresolved. */
  resolvedAt: number | null;
}

/** Responses to feedback forms: the app's inbox, which the API doesn't expose (API text, "Endpoints", 5). */
export function feedbackTable({ sqlite, ids }: Database) {
  const insert = sqlite.prepare(
    'INSERT INTO feedback (id, qr_id, score, received_at) VALUES (?, ?, ?, ?) RETURNING *',
  );
  const resolve = sqlite.prepare('UPDATE feedback SET resolved_at = ? WHERE id = ? AND resolved_at IS NULL');
  const byId = sqlite.prepare('SELECT * FROM feedback WHERE id = ?');
  const latest = sqlite.prepare('SELECT * FROM feedback ORDER BY seq DESC LIMIT ?');
  return {
    record: (qrId: string, score: number, receivedAt: number): FeedbackResponse =>
      toRecord(insert.get(ids.newId('resp'), qrId, score, receivedAt) as Row) as FeedbackResponse,
    /** Returns whether an unresolved response had this ID. */
    resolve: (id: string, at: number): boolean => resolve.run(at, id).changes === 1,
    find(id: string): FeedbackResponse | undefined {
      const row = byId.get(id);
      return row === undefined ? undefined : (toRecord(row) as FeedbackResponse);
    },
    /** Newest first. */
    latest: (count: number): FeedbackResponse[] => latest.all(count).map(toRecord) as FeedbackResponse[],
  };
}
