import type { HttpBindings } from '@hono/node-server';
import type { ApiKey } from '../store/records.ts';
import type { RequestNotes } from '../store/requestLog.ts';

/** Variables that a request's handlers share. */
export interface Env {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The key that was sent, if it exists. Its expiry and addresses aren't checked yet. */
    sentKey: ApiKey | undefined;
    /** Set once the request is authenticated. */
    apiKey: ApiKey;
    /** Notes for the request log, each set where it becomes known. */
    notes: Partial<RequestNotes>;
    /** Aborts when the state in which the request began is replaced. */
    stateSignal: AbortSignal;
    /** Delay from a fault, in milliseconds. */
    delayMs: number;
  };
}
