import type { HttpBindings } from '@hono/node-server';
import type { RequestNotes } from '../control/requestLog.ts';
import type { ApiKey } from '../store/apiKeys.ts';

/** What a request carries through the server. */
export interface Env {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The key that was sent, if the workspace has it; not yet held against its limits. */
    sentKey: ApiKey | undefined;
    /** Set once the request is authenticated. */
    apiKey: ApiKey;
    /** What the request log is to say beside the answer's status; each set where it becomes known. */
    notes: Partial<RequestNotes>;
    /** Milliseconds by which a fault slows the request. */
    delayMs: number;
  };
}
