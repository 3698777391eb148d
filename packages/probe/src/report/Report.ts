import type { Finding, Verdict } from '../findings/Finding.ts';
import type { LeftBehind } from '../http/Ledger.ts';

/** The results of one run. */
export interface Report {
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
  leftBehind: readonly LeftBehind[];
  /** Whether the user stopped it before its end. */
  isStopped: boolean;
}

/** How the command ends. */
export const EXIT = { works: 0, fails: 1, unusable: 2, stopped: 130 } as const;

/** A verdict in one sentence. */
export interface Headline {
  verdict: Verdict;
  headline: string;
}

/** A report in one sentence, and as an exit status. It is never better than what was confirmed. */
export function summarize({ findings, isStopped }: Report): Headline & { exit: number } {
  const asked = findings.filter((finding) => finding.isAsked);
  const open = asked.filter(({ verdict }) => verdict === 'unknown');
  const has = (verdict: Verdict) => asked.some((finding) => finding.verdict === verdict);
  let exit: number = hasAccess(findings) ? EXIT.fails : EXIT.unusable;
  if (isStopped) exit = EXIT.stopped;
  if (has('fails')) {
    const headline = hasAccess(findings)
      ? "The connectors don't fully work with this service."
      : 'The service could not be checked.';
    return { verdict: 'fails', headline, exit };
  }
  if (isStopped)
    return { verdict: 'unknown', headline: 'The probe was stopped before it had checked everything.', exit };
  if (open.length > 0) {
    const titles = open.map(({ title }) => title).join(', ');
    return { verdict: 'unknown', headline: `Not everything could be checked: ${titles}.`, exit };
  }
  const isWhole = asked.length === findings.length;
  const works = isWhole ? 'The connectors work with this service' : 'Everything that was checked works';
  if (has('differs')) return { verdict: 'differs', headline: `${works}, with limits.`, exit: EXIT.works };
  return { verdict: 'works', headline: `${works}.`, exit: EXIT.works };
}

/** Whether the service can be reached and accepts the key. */
export function hasAccess(findings: readonly Finding[]): boolean {
  return findings.some(({ id, verdict }) => id === 'connection' && verdict === 'works');
}
