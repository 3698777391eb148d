import { apiKeyTable } from './apiKeys.ts';
import { attemptTable } from './attempts.ts';
import { counter } from './counts.ts';
import { openDatabase } from './database.ts';
import { deliveryTable } from './deliveries.ts';
import { deliveryRetention } from './deliveryRetention.ts';
import { DumpError, dumper, type Dump } from './dump.ts';
import { eventTable } from './events.ts';
import { feedbackTable } from './feedback.ts';
import { idempotencyTable } from './idempotency.ts';
import { qrCodeTable } from './qrCodes.ts';
import { scanTable } from './scans.ts';
import { subscriptionTable } from './subscriptions.ts';
import { tableCopier, type TableCopy } from './tableCopies.ts';
import { openWorkspace, readWorkspace } from './workspace.ts';

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
  const workspace = openWorkspace(database);
  const dump = dumper(database);
  const apiKeys = apiKeyTable(database);
  const subscriptions = subscriptionTable(database);
  /** Updates what is kept in memory once the tables are replaced. */
  const reread = () => {
    qrCodes.reread();
    Object.assign(workspace, readWorkspace(database));
  };
  /** Reads what every page and delivery needs. @throws DumpError when they would fail */
  function checkReadable(): void {
    try {
      apiKeys.all();
      if (!subscriptions.active().every(({ url }) => URL.canParse(url))) throw new DumpError('invalid URL');
    } catch (error) {
      throw new DumpError(`a row can't be read (${(error as Error).message})`, { cause: error });
    }
    if (readWorkspace(database) === undefined) throw new DumpError('its workspace is missing');
  }

  return {
    ids: database.ids,
    workspace,
    apiKeys,
    qrCodes,
    scans: scanTable(database),
    feedback: feedbackTable(database),
    subscriptions,
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
          reread();
        },
      };
    },
    /** Everything in the database, as plain values. */
    dump: dump.read,
    /**
     * Replaces everything in the database, and counts that as a start, so that new IDs differ from those in the dump.
     * @throws DumpError when the dump doesn't fit the tables; nothing is changed then
     */
    load(tables: Dump): void {
      database.transaction(() => {
        dump.write(tables);
        checkReadable();
      });
      database.ids.startAgain(database.countStart());
      reread();
    },
    transaction: database.transaction,
    close: database.close,
  };
}
