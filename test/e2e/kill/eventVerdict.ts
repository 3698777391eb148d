import assert from 'node:assert/strict';
import type { StoredExecution } from './storedExecutions.ts';

/** Everything recorded in an event run. */
interface EventRunRecord {
  /** IDs of the events, each delivered with a 2xx response. */
  sent: ReadonlySet<string>;
  /** Number of attempts over all deliveries. */
  attempts: number;
  /** Event ID of each written row. */
  rows: readonly string[];
  /** All executions, after they ended. */
  executions: readonly StoredExecution[];
  /** Executions that n8n had left open outside the queue, in the state they had then. */
  stranded: readonly StoredExecution[];
}

/** Result of an event run. */
export interface EventVerdict {
  text: string;
  /** Events that aren't in the sheet. */
  missing: string[];
}

/**
 * Every event must be in the sheet once. If one is missing, n8n must list a failed execution of that event.
 */
export function judge({ sent, attempts, rows, executions, stranded }: EventRunRecord): EventVerdict {
  const of = (eventId: string) => executions.filter((execution) => execution.eventId === eventId);
  const failed = executions.filter(({ status }) => status !== 'success');
  const wasStranded = ({ id }: StoredExecution) => stranded.some((execution) => execution.id === id);
  const isFailed = ({ id }: StoredExecution) => failed.some((execution) => execution.id === id);

  const missing = [...sent].filter((eventId) => !rows.includes(eventId));
  for (const eventId of missing)
    assert.ok(of(eventId).some(isFailed), `${eventId} is missing, and n8n lists no failed execution of it`);

  // A redelivered event may pass Remove Duplicates. A real sheet would find its row and update it.
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
    return of(eventId).length > 1 ? 'redelivered, row written' : 'row written';
  };
  return {
    missing,
    text:
      `${sent.size} events in ${attempts} attempts, all delivered; ${new Set(rows).size} in the sheet, ` +
      `${duplicated.size === 0 ? 'none' : [...duplicated].join(', ')} written twice` +
      `\n    failed executions: ${name(failed.filter((execution) => !wasStranded(execution)))}` +
      `\n    left open, and marked as crashed after the main restarted: ${name(stranded.filter(isFailed))}`,
  };
}
