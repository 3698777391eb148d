import type { ServiceShape } from '@qr-service/core/shape';
import type { Finding } from './Finding.ts';

/** Something that the probe created and the service can't remove. */
export interface LeftBehind {
  what: 'code' | 'subscription';
  id: string;
  /**
   * The short link of a code.
   * @default unknown
   */
  url?: string;
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
