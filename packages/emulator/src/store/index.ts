import { apiKeyTable } from './apiKeys.ts';
import { attemptTable } from './attempts.ts';
import { counter } from './counts.ts';
import { openDatabase } from './database.ts';
import { deliveryTable } from './deliveries.ts';
import { deliveryRetention } from './deliveryRetention.ts';
import { eventTable } from './events.ts';
import { feedbackTable } from './feedback.ts';
import { idempotencyTable } from './idempotency.ts';
import { qrCodeTable } from './qrCodes.ts';
import { scanTable } from './scans.ts';
import { subscriptionTable } from './subscriptions.ts';
import { tableCopier, type TableCopy } from './tableCopies.ts';
import { openWorkspace } from './workspace.ts';

/** Everything that the emulator stores, one repository per table. */
export type Store = ReturnType<typeof openStore>;

/**
 * Opens the store in a file or in memory.
 * @param options `idSeed` makes the ids reproducible; `updatedAtStepMs` is the step of the codes' `updatedAt`
 * @throws DatabaseFileError when the file can't be used
 */
export function openStore(
  file: string,
  now: () => number,
  { idSeed, updatedAtStepMs = 1 }: { idSeed?: string | undefined; updatedAtStepMs?: number } = {},
) {
  const database = openDatabase(file, idSeed);
  const copyTables = tableCopier(database);
  const qrCodes = qrCodeTable(database, now, updatedAtStepMs);

  return {
    ids: database.ids,
    workspace: openWorkspace(database),
    apiKeys: apiKeyTable(database),
    qrCodes,
    scans: scanTable(database),
    feedback: feedbackTable(database),
    subscriptions: subscriptionTable(database),
    events: eventTable(database),
    deliveries: deliveryTable(database),
    deliveryRetention: deliveryRetention(database),
    attempts: attemptTable(database),
    idempotency: idempotencyTable(database, now),
    counts: counter(database),
    /** Copies everything in the database. */
    copyTables: (): TableCopy => {
      const copy = copyTables();
      return {
        ...copy,
        restore() {
          copy.restore();
          qrCodes.reread();
        },
      };
    },
    transaction: database.transaction,
    close: database.close,
  };
}
