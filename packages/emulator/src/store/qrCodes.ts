import type { CODE_STATUSES } from '../config/seed.ts';
import type { Database } from './database.ts';
import { toRecord, type Row } from './toRecord.ts';
import { placeOf, walkSql, type WalkOrder, type WalkPlace } from './walk.ts';

/** A stored code. */
export interface QrRecord {
  id: string;
  name: string;
  slug: string;
  mode: string;
  contentType: string;
  targetUrl: string;
  /** The destination that the code was created with. */
  firstTargetUrl: string;
  status: (typeof CODE_STATUSES)[number];
  approvalState: string;
  folderId: string | null;
  /** Milliseconds since the epoch, to the step that the emulator was started with. */
  updatedAt: number;
  /** The exact time. Unique for each write. */
  writtenAt: number;
}

/** A code to store. */
export type NewQrRecord = Omit<QrRecord, 'firstTargetUrl' | 'updatedAt' | 'writtenAt'>;

/** How long a cursor stays valid. Previous versions of codes are kept as long. */
export const WALK_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Columns of a code. */
export const COLUMNS =
  'id, name, slug, mode, content_type, target_url, first_target_url, status, approval_state, folder_id, updated_at';

/**
 * Codes and their previous versions (API text, "QR code summary").
 *
 * Every write gets a higher `writtenAt` than all earlier writes. It is both the time of the write and its position in the
 * order, so a client that resumes from the highest one it has seen misses nothing. `updatedAt` is the start of its step.
 *
 * A walk returns each code once, as it was when the walk began. An edit moves the code to a position after the walk's
 * snapshot, which only a later walk returns, and leaves the previous version at its old position.
 *
 * @param stepMs step of `updatedAt`
 */
export function qrCodeTable({ sqlite }: Database, now: () => number, stepMs: number) {
  const insert = sqlite.prepare(`INSERT INTO qr_codes (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const update = sqlite.prepare(
    'UPDATE qr_codes SET name = ?, target_url = ?, status = ?, approval_state = ?, updated_at = ? WHERE id = ?',
  );
  const keep = sqlite.prepare(
    `INSERT INTO qr_history (${COLUMNS}, superseded_at) SELECT ${COLUMNS}, ? FROM qr_codes WHERE id = ?`,
  );
  const forgetOld = sqlite.prepare('DELETE FROM qr_history WHERE superseded_at < ?');
  const forgetCode = sqlite.prepare('DELETE FROM qr_history WHERE id = ?');
  const remove = sqlite.prepare('DELETE FROM qr_codes WHERE id = ?');
  const byId = sqlite.prepare(`SELECT ${COLUMNS} FROM qr_codes WHERE id = ?`);
  const byIdAt = sqlite.prepare(
    `SELECT ${COLUMNS} FROM qr_codes WHERE id = :id AND updated_at <= :at
     UNION ALL SELECT ${COLUMNS} FROM qr_history WHERE id = :id AND :at BETWEEN updated_at AND superseded_at - 1`,
  );
  const bySlug = sqlite.prepare(`SELECT ${COLUMNS} FROM qr_codes WHERE slug = ?`);
  const pages = {
    ascending: sqlite.prepare(walkSql('ascending', COLUMNS, stepMs)),
    descending: sqlite.prepare(walkSql('descending', COLUMNS, stepMs)),
    id: sqlite.prepare(walkSql('id', COLUMNS, stepMs)),
  };

  const latest = sqlite.prepare(
    `SELECT max(coalesce((SELECT max(updated_at) FROM qr_codes), 0),
                coalesce((SELECT max(superseded_at) FROM qr_history), 0)) AS last`,
  );
  const readLastWrite = () => Number(latest.get()?.['last']);
  let lastWrite = readLastWrite();
  const nextWrite = () => (lastWrite = Math.max(now(), lastWrite + 1));
  const stepOf = (time: number) => time - (time % stepMs);
  const times = (writtenAt: number) => ({ updatedAt: stepOf(writtenAt), writtenAt });

  const snapshot = (lagMs = 0): number => {
    const at = Math.max(now(), lastWrite) - lagMs;
    lastWrite = Math.max(lastWrite, at);
    return at;
  };

  return {
    insert(code: NewQrRecord): QrRecord {
      const record = { ...code, firstTargetUrl: code.targetUrl, ...times(nextWrite()) };
      insert.run(
        record.id,
        record.name,
        record.slug,
        record.mode,
        record.contentType,
        record.targetUrl,
        record.firstTargetUrl,
        record.status,
        record.approvalState,
        record.folderId,
        record.writtenAt,
      );
      return record;
    },
    /** Call in a transaction. */
    update(
      before: QrRecord,
      changes: Partial<Pick<QrRecord, 'name' | 'targetUrl' | 'status' | 'approvalState'>>,
    ): QrRecord {
      const record = { ...before, ...changes, ...times(nextWrite()) };
      keep.run(record.writtenAt, record.id);
      update.run(
        record.name,
        record.targetUrl,
        record.status,
        record.approvalState,
        record.writtenAt,
        record.id,
      );
      forgetOld.run(now() - WALK_LIFETIME_MS);
      return record;
    },
    /** Deletes the code permanently, even from walks in progress. Call in a transaction. */
    remove(id: string): void {
      forgetCode.run(id);
      remove.run(id);
    },
    /** A code, or what it was this many milliseconds ago. */
    find: (id: string, lagMs = 0): QrRecord | undefined =>
      read(lagMs === 0 ? byId.get(id) : byIdAt.get({ id, at: snapshot(lagMs) })),
    findBySlug: (slug: string): QrRecord | undefined => read(bySlug.get(slug)),
    /** Snapshot for a walk that begins now, or that is behind. Every later write comes after it. */
    snapshot,
    /** The first time of a write whose `updatedAt` isn't before this time. */
    firstWriteSince: (time: number): number => stepOf(time + stepMs - 1),
    /** A code's position in the order. */
    placeOf: (order: WalkOrder, code: QrRecord): number | string => placeOf(order, code, stepMs),
    /** Call after the table is restored from a copy. */
    reread: (): void => void (lastWrite = readLastWrite()),
    /** One page of a walk. */
    walk(order: WalkOrder, query: WalkPlace & { count: number }): QrRecord[] {
      return pages[order].all(query).map((row) => read(row) as QrRecord);
    },
  };

  function read(row: Row | undefined): QrRecord | undefined {
    if (row === undefined) return undefined;
    const record = toRecord(row) as QrRecord;
    return { ...record, ...times(record.updatedAt) };
  }
}
