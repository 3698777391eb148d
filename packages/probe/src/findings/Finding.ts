/** Whether a job works. */
export type Verdict =
  /** It was confirmed to work. */
  | 'works'
  /** The connectors work with what was found, with a limit that the explanation names. */
  | 'differs'
  /** The connectors don't work with what was found. */
  | 'fails'
  /** It couldn't be checked: the explanation says why, and what to do. */
  | 'unknown';

/** A verdict in a report: a sign that also shows without colors, and a word. */
export const VERDICTS = {
  works: { sign: '✔', word: 'works' },
  differs: { sign: '~', word: 'works, with limits' },
  fails: { sign: '✘', word: 'fails' },
  unknown: { sign: '?', word: 'not checked' },
} as const satisfies Record<Verdict, { sign: string; word: string }>;

/** The result of a check. */
export interface Outcome {
  verdict: Verdict;
  /** What was found, in a few words. Without it, reports show the verdict's word. */
  value?: string;
  /** What it means for the connectors, and what to do. */
  explanation?: string;
}

/** It was confirmed to work. */
export const works = (value: string): Outcome => ({ verdict: 'works', value });
/** The connectors work with it, with a limit. */
export const differs = (value: string, explanation: string) => because('differs', value, explanation);
/** The connectors don't work with it. */
export const fails = (value: string, explanation: string) => because('fails', value, explanation);
/** It couldn't be checked. */
export const unknown = (explanation: string, value = '') => because('unknown', value, explanation);

const because = (verdict: Verdict, value: string, explanation: string) => ({ verdict, value, explanation });

/** A line of a report: a job and its result. */
export interface Finding extends Outcome {
  /** Stable name, for example `publish`. */
  id: string;
  area: string;
  title: string;
  /** Whether the options ask for it. */
  isAsked: boolean;
  /** The requests that show it, each with its response: `POST /qr/qr_1/publish → 200, 12 ms`. */
  requests: readonly string[];
}
