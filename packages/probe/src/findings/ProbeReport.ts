import type { ServiceShape } from '@qr-service/core/shape';
import type { Finding } from './Finding.ts';

/** Something that the probe created, or may have created, and whose removal it hasn't seen. */
export interface LeftBehind {
  what: 'code' | 'subscription';
  state: 'is left' | 'may be left';
  /** What to search for in the app: the name of a code, the URL of a subscription. */
  search: string;
  /** @default unknown */
  id?: string;
  /**
   * The short link of a code.
   * @default unknown
   */
  url?: string;
}

/** What to do about it. */
export const LEFT_BEHIND =
  'The probe created these, or may have. Search for them in the app, and remove them.';

/** The same as one line. */
export function leftText({ what, state, search, id, url }: LeftBehind): string {
  return `${what}${id === undefined ? '' : ` ${id}`} ${state}: ${search}${url === undefined ? '' : `, ${url}`}`;
}

/** The results of one run. */
export interface ProbeReport {
  /** Host name of the service, with its port if it isn't the usual one. */
  host: string;
  /** ISO 8601 UTC. */
  startedAt: string;
  /** In milliseconds. */
  durationMs: number;
  /** Whether it sent requests that create something. */
  wrote: boolean;
  /** How many requests were sent. */
  requests: number;
  findings: readonly Finding[];
  /** The form of the service, as far as it is known. */
  shape: ServiceShape;
  leftBehind: readonly LeftBehind[];
  /**
   * Set only if it was stopped before its end.
   * @default it ran to its end
   */
  stopped?: true;
}
