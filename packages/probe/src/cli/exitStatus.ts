import type { Finding } from '../findings/Finding.ts';
import { hasAccess, summarize } from '../report/summary.ts';

/** How the command ends. */
export const EXIT = { works: 0, fails: 1, unusable: 2, stopped: 130 } as const;

/** The exit status for what was found: `works` only if each job that the run was asked to check works. */
export function exitStatus(findings: readonly Finding[]): number {
  const { verdict, jobs } = summarize(findings);
  const isNothingChecked = verdict === 'unknown' && jobs.every((job) => job.verdict === 'unknown');
  if (!hasAccess(findings) || isNothingChecked) return EXIT.unusable;
  const isIncomplete = jobs.some((job) => job.isAsked && job.verdict !== 'works');
  return verdict === 'fails' || isIncomplete ? EXIT.fails : EXIT.works;
}
