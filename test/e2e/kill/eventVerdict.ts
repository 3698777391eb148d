import assert from 'node:assert/strict';
import type { StoredExecution } from './storedExecutions.ts';

/** What is known of a run of events at its end. */
export interface EventRunRecord {
  /** Ids of the events, each of which the service was told 2xx for. */
  sent: ReadonlySet<string>;
  /** Attempts of all their deliveries. */
  attempts: number;
  /** The event of each row that was written. */
  rows: readonly string[];
  /** All executions, ended. */
  executions: readonly StoredExecution[];
  /** Those that n8n had left open outside the queue, as they were then. */
  stranded: readonly StoredExecution[];
}

/** What has become of the events. */
export interface EventVerdict {
  text: string;
  /** Events that are not in the sheet. */
  missing: string[];
}

/**
 * Every event must be in the sheet, once; for one that is not, n8n must name an execution of this very event as failed.
 */
export function judge({ sent, attempts, rows, executions, stranded }: EventRunRecord): EventVerdict {
  const of = (eventId: string) => executions.filter((execution) => execution.eventId === eventId);
  const failed = executions.filter(({ status }) => status !== 'success');
  const wasStranded = ({ id }: StoredExecution) => stranded.some((execution) => execution.id === id);
  const isFailed = ({ id }: StoredExecution) => failed.some((execution) => execution.id === id);

  const missing = [...sent].filter((eventId) => !rows.includes(eventId));
  for (const eventId of missing)
    assert.ok(
      of(eventId).some(isFailed),
      `${eventId} is missing, and n8n names no execution of it as failed`,
    );

  // Redelivered and run again, an event may pass Remove Duplicates: a real sheet finds its row and updates it.
  const duplicated = new Set(rows.filter((eventId, index) => rows.indexOf(eventId) !== index));
  for (const eventId of duplicated) {
    const ran = of(eventId).filter((execution) => !wasStranded(execution)).length;
    const written = rows.filter((row) => row === eventId).length;
    assert.ok(written <= ran, `${eventId} ran ${ran} times and was written ${written} times`);
  }

  const name = (some: readonly StoredExecution[]) =>
    some.map(({ id, status, eventId }) => `${id} (${status}, ${eventId}: ${fate(eventId)})`).join(', ') ||
    'none';
  const fate = (eventId: string) => {
    if (missing.includes(eventId)) return 'no row';
    return of(eventId).length > 1 ? 'redelivered, row there' : 'row there';
  };
  return {
    missing,
    text:
      `${sent.size} events in ${attempts} attempts, each told 2xx; ${new Set(rows).size} in the sheet, ` +
      `${duplicated.size === 0 ? 'none' : [...duplicated].join(', ')} twice` +
      `\n    failed executions: ${name(failed.filter((execution) => !wasStranded(execution)))}` +
      `\n    left open, and marked as crashed when the main started again: ${name(stranded.filter(isFailed))}`,
  };
}
