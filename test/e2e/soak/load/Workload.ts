import type { RepeatingTask } from './repeat.ts';

/** One kind of load on n8n. */
export interface Workload extends RepeatingTask {
  /** Workflows that run for it. */
  workflowIds: readonly string[];
  /** How much there was so far, by what it is. */
  counts(): Record<string, number>;
  /** What was lost or came more than once; nothing when all is well. */
  problems(): Promise<string[]>;
}
