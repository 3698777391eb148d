import type { Database } from './database.ts';

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
      response(insert.get(ids.newId('resp'), qrId, score, receivedAt) as Record<string, unknown>),
    /** Returns whether an unresolved response had this ID. */
    resolve: (id: string, at: number): boolean => resolve.run(at, id).changes === 1,
    find(id: string): FeedbackResponse | undefined {
      const row = byId.get(id);
      return row === undefined ? undefined : response(row);
    },
    /** Newest first. */
    latest: (count: number): FeedbackResponse[] => latest.all(count).map(response),
  };
}

function response(row: Record<string, unknown>): FeedbackResponse {
  return {
    seq: row['seq'] as number,
    id: row['id'] as string,
    qrId: row['qr_id'] as string,
    score: row['score'] as number,
    receivedAt: row['received_at'] as number,
    resolvedAt: row['resolved_at'] as number | null,
  };
}
