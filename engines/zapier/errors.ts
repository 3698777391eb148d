/** A failed step's error, parsed from the JSON that Zapier's errors have as their message. */
export interface StepFailure {
  /** Zapier's error class, such as `AppError`, `ExpiredAuthError`, `ThrottledError`. */
  name: string;
  message: string;
  code?: string;
  status?: number;
  /** Seconds until Zapier retries the step; ThrottledError only. */
  delay?: number;
}

/** Parses a failed step's error. */
export function readStepFailure(error: unknown): StepFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  try {
    return { ...(JSON.parse(error.message) as Omit<StepFailure, 'name'>), name: error.name };
  } catch {
    return { name: error.name, message: error.message };
  }
}
