import { AREAS, type Area, type Finding, type Verdict } from '../findings/Finding.ts';
import { isPartOfJobs, judgeJobs, type JobFinding } from '../findings/jobs.ts';

/** A verdict in the report: a sign that also shows without colors, and a word. */
export const VERDICTS = {
  works: {
    icon: '✔',
    word: 'works',
    meaning: 'It was seen to work.',
  },
  differs: {
    icon: '~',
    word: 'differs',
    meaning: 'Departs from the API text, but the connectors still work.',
  },
  fails: { icon: '✘', word: 'fails', meaning: "The connectors don't work with this." },
  unknown: { icon: '?', word: 'not checked', meaning: 'The report says why, and what to do.' },
} as const satisfies Record<Verdict, { icon: string; word: string; meaning: string }>;

/** The report in a few words. */
export interface Summary {
  verdict: Verdict;
  headline: string;
  jobs: readonly JobFinding[];
  /** What fails without being part of a job. */
  failures: readonly Finding[];
}

/** Whether the service can be reached and accepts the key. */
export function hasAccess(findings: readonly Finding[]): boolean {
  return !findings.some(
    ({ id, verdict }) => (id === 'connection.reach' || id === 'connection.key') && verdict !== 'works',
  );
}

/** Sums up findings about a service. It is never better than what was seen. */
export function summarize(findings: readonly Finding[], { stopped = false } = {}): Summary {
  const jobs = judgeJobs(findings);
  const has = (wanted: Verdict) => findings.some(({ verdict }) => verdict === wanted);
  const failures = findings.filter((finding) => finding.verdict === 'fails' && !isPartOfJobs(finding));
  const sum = (verdict: Verdict, headline: string): Summary => ({ verdict, headline, jobs, failures });
  if (has('fails'))
    return hasAccess(findings)
      ? sum('fails', "The connectors don't fully work with this service.")
      : sum('fails', 'The service could not be checked.');
  if (stopped) return sum('unknown', 'The probe was stopped before it had checked everything.');
  if (!has('works') && !has('differs')) return sum('unknown', 'The probe got no answers.');
  const seen = namesOf(jobs, 'works');
  if (seen.length === 0) return sum('unknown', 'Nothing that the connectors do could be checked.');
  const open = namesOf(jobs, 'unknown');
  if (open.length > 0) {
    const unchecked = sentence(open, 'was not checked', 'were not checked');
    const isPartial = seen.some((name) => name.startsWith('"'));
    return sum(
      'unknown',
      isPartial ? `${unchecked} Everything else works.` : `${sentence(seen, 'works', 'work')} ${unchecked}`,
    );
  }
  return has('differs')
    ? sum('differs', 'The connectors work with this service, which departs from its API text.')
    : sum('works', 'The connectors work with this service.');
}

/** The jobs with a verdict: the name of a group if all of its jobs have it. */
function namesOf(jobs: readonly JobFinding[], verdict: Verdict): string[] {
  const names = jobs
    .filter((job) => job.verdict === verdict)
    .map(({ group, title }) =>
      jobs.every((other) => other.group !== group || other.verdict === verdict) ? group : `"${title}"`,
    );
  return [...new Set(names)];
}

/** For example `Creating, changing and webhooks were not checked.` */
function sentence(names: readonly string[], one: string, several: string): string {
  const [first = '', ...rest] = names;
  const list = [first, ...rest.map((name) => (name.startsWith('"') ? name : name.toLowerCase()))];
  const joined = list.length === 1 ? first : `${list.slice(0, -1).join(', ')} and ${list.at(-1) ?? ''}`;
  return `${joined} ${names.length === 1 && !first.endsWith('s') ? one : several}.`;
}

/** The findings by area, in the order of the report, without empty areas. */
export function byArea(
  findings: readonly Finding[],
): (readonly [area: Area, findings: readonly Finding[]])[] {
  return AREAS.map((area) => [area, findings.filter((finding) => finding.area === area)] as const).filter(
    ([, found]) => found.length > 0,
  );
}

/** When a report was made and how: `2026-11-22 20:41 UTC, 41 s, 63 requests, read-only`. */
export function circumstances(report: {
  startedAt: string;
  durationMs: number;
  requests: number;
  wrote: boolean;
}): string {
  const { startedAt, durationMs, requests, wrote } = report;
  return [
    `${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
    `${Math.max(1, Math.round(durationMs / 1000))} s`,
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
    wrote ? 'with --write' : 'read-only',
  ].join(', ');
}
