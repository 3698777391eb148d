import type { RepeatingTask } from './repeat.ts';

/** One kind of load on n8n. */
export interface Workload extends RepeatingTask {
  /** Its workflows. */
  workflowIds: readonly string[];
  /** Work done so far, by kind. */
  counts(): Record<string, number>;
  /** Lost or duplicate work; empty if there is none. */
  problems(): Promise<string[]>;
}
