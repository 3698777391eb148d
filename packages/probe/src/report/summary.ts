import { AREAS, type Area, type Finding, type Verdict } from '../findings/Finding.ts';

/** A verdict in the report: a sign that also shows without colors, and a word. */
export const VERDICTS = {
  works: {
    icon: '✔',
    word: 'works',
    meaning: 'The connectors cope, and the service agrees with the API text.',
  },
  differs: { icon: '~', word: 'differs', meaning: 'Departs from the API text, but the connectors cope.' },
  fails: { icon: '✘', word: 'fails', meaning: "The connectors can't cope." },
  unknown: { icon: '?', word: 'unknown', meaning: "Couldn't be found out. The report says why." },
} as const satisfies Record<Verdict, { icon: string; word: string; meaning: string }>;

/** The report in a few words. */
export interface Summary {
  verdict: Verdict;
  headline: string;
  counts: string;
  /** Why it doesn't work. */
  failures: readonly Finding[];
}

/** Whether the service can be reached and accepts the key. */
export function hasAccess(findings: readonly Finding[]): boolean {
  return !findings.some(
    ({ id, verdict }) => (id === 'connection.reach' || id === 'connection.key') && verdict !== 'works',
  );
}

/** Sums up findings about a service. */
export function summarize(findings: readonly Finding[]): Summary {
  const of = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict);
  const failures = of('fails');
  const [works, differs, unknown] = [of('works').length, of('differs').length, of('unknown').length];
  const counts = [
    ...(failures.length > 0 ? [`${failures.length} ${failures.length === 1 ? 'fails' : 'fail'}`] : []),
    `${works} ${works === 1 ? 'works' : 'work'}`,
    ...(differs > 0 ? [`${differs} ${differs === 1 ? 'differs' : 'differ'} from the API text`] : []),
    ...(unknown > 0 ? [`${unknown} ${unknown === 1 ? 'is' : 'are'} unknown`] : []),
  ].join(', ');
  const points = `Of ${findings.length} points, ${counts}.`;
  if (!hasAccess(findings) && failures.length > 0)
    return { verdict: 'fails', headline: 'The service could not be checked.', counts: points, failures };
  if (failures.length > 0)
    return {
      verdict: 'fails',
      headline: "The connectors don't fully work with this service.",
      counts: points,
      failures,
    };
  if (works + differs === 0)
    return { verdict: 'unknown', headline: 'Nothing could be found out.', counts: points, failures };
  const scope = unknown > 0 ? 'as far as it could be seen' : undefined;
  const departs = differs > 0 ? 'which departs from its API text' : undefined;
  const rest = [departs, scope].filter((part) => part !== undefined);
  return {
    verdict: differs > 0 ? 'differs' : 'works',
    headline: `${['The connectors work with this service', ...rest].join(', ')}.`,
    counts: points,
    failures,
  };
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
