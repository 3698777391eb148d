import { describeError, isApiError, isServiceUnavailable, sentence, TransportError } from '../../../deps.ts';

/** How many items in a row may fail without a response, before the others aren't sent. */
const MAX_FAILURES = 20;
/** How long they may fail, in milliseconds: a service that restarts refuses many items in a few seconds. */
const MAX_OUTAGE_MS = 60_000;

/** Knows in one run of the node whether the service is down, so that thousands of items don't each wait a minute for it. */
export function startOutage(now: () => number = Date.now) {
  let failures = 0;
  let failingSince = 0;
  let notSent = 0;
  let reason = '';
  return {
    note(error?: unknown): void {
      // If a code was created but not published, the client's own error is the cause.
      const errors = [error, (error as Error | undefined)?.cause];
      const failure = errors.find(isServiceUnavailable);
      if (failure !== undefined) {
        if (failures === 0) failingSince = now();
        failures += 1;
        reason = sentence(describeError(failure).message);
      } else if (error === undefined || errors.some(isApiError)) failures = 0;
    },
    /** @throws TransportError if the service is down, so that the item isn't sent */
    throwIfDown(): void {
      if (failures < MAX_FAILURES || now() - failingSince < MAX_OUTAGE_MS) return;
      notSent += 1;
      const detail = `${MAX_FAILURES} items in a row failed this way, so this one was not sent.`;
      throw new TransportError(reason, { code: 'network', detail });
    },
    notSent: () => notSent,
  };
}

/** See `startOutage`. */
export type Outage = ReturnType<typeof startOutage>;
