import type { HttpBindings } from '@hono/node-server';
import type { RequestNotes } from '../control/requestLog.ts';
import type { ApiKey } from '../store/apiKeys.ts';

/** What a request carries through its handlers. */
export interface Env {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The key that was sent, if the workspace has it. Its expiry and addresses aren't checked yet. */
    sentKey: ApiKey | undefined;
    /** Set once the request is authenticated. */
    apiKey: ApiKey;
    /** Notes for the request log, each set where it becomes known. */
    notes: Partial<RequestNotes>;
    /** Aborts when the state that the request began in ends. */
    stateSignal: AbortSignal;
    /** Milliseconds by which a fault delays the request. */
    delayMs: number;
  };
}
