/** Whether the connector still works with what was found, and whether that agrees with the API text. */
export type Verdict =
  /** The connector works, and the service agrees with the API text or with what it leaves open. */
  | 'works'
  /** The service departs from the API text, but the connector still works. */
  | 'differs'
  /** The connector doesn't work with this. */
  | 'fails'
  /** The probe got no answer: `explanation` says why, and what to do. */
  | 'unknown';

/** The parts of the API, in the order of the report. */
export const AREAS = [
  'Jobs',
  'Connection',
  'Account',
  'Codes',
  'Lists',
  'Scans',
  'Images',
  'Webhooks',
  'Errors',
  'Limits',
  'Idempotency',
] as const;

/** A part of the API. */
export type Area = (typeof AREAS)[number];

/** One thing that the probe looked at. */
export interface Finding {
  /** Stable name, for example `lists.key`. */
  id: string;
  area: Area;
  /** For example `Name of the array of rows`. */
  title: string;
  verdict: Verdict;
  /**
   * What this service does, in a few words: `items`, `50`, `epoch seconds`. Contains no key, secret or name of a code.
   * @default unknown
   */
  value?: string;
  /**
   * One or two sentences: what it means for the connector, or why it is unknown, and what to do.
   * @default none is needed
   */
  explanation?: string;
  /**
   * The requests and responses, without keys and secrets, for `--verbose`.
   * @default none
   */
  details?: readonly string[];
}
