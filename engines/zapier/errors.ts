/** What a failed step says, taken out of the JSON that Zapier's errors carry as their message. */
export interface StepFailure {
  /** Zapier's error class, e.g. `AppError`, `ExpiredAuthError`, `ThrottledError`. */
  name: string;
  message: string;
  code?: string;
  status?: number;
  /** Seconds after which Zapier runs the step again; ThrottledError only. */
  delay?: number;
}

/** Reads a failed step's error. */
export function readStepFailure(error: unknown): StepFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  try {
    return { ...(JSON.parse(error.message) as Omit<StepFailure, 'name'>), name: error.name };
  } catch {
    return { name: error.name, message: error.message };
  }
}
