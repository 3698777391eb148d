import { apiKeyTable } from './apiKeys.ts';
import { attemptTable } from './attempts.ts';
import { openDatabase } from './database.ts';
import { deliveryTable } from './deliveries.ts';
import { eventTable } from './events.ts';
import { idempotencyTable } from './idempotency.ts';
import { qrCodeTable } from './qrCodes.ts';
import { scanTable } from './scans.ts';
import { subscriptionTable } from './subscriptions.ts';
import { openWorkspace } from './workspace.ts';

/** Everything that the emulator keeps, a repository a table. */
export type Store = ReturnType<typeof openStore>;

/**
 * Opens the store in a file or in memory.
 * @throws DatabaseFileError when the file can't be used
 */
export function openStore(file: string, now: () => number) {
  const database = openDatabase(file);
  return {
    workspace: openWorkspace(database),
    apiKeys: apiKeyTable(database),
    qrCodes: qrCodeTable(database, now),
    scans: scanTable(database),
    subscriptions: subscriptionTable(database),
    events: eventTable(database),
    deliveries: deliveryTable(database),
    attempts: attemptTable(database),
    idempotency: idempotencyTable(database, now),
    transaction: database.transaction,
    close: database.close,
  };
}
