import { AREAS, type Area, type Finding, type Verdict } from '../findings/Finding.ts';

/** A verdict in the report: a sign that also shows without colors, and a word. */
export const VERDICTS = {
  works: {
    icon: '✔',
    word: 'works',
    meaning: 'The connectors work, and the service agrees with the API text.',
  },
  differs: {
    icon: '~',
    word: 'differs',
    meaning: 'Departs from the API text, but the connectors still work.',
  },
  fails: { icon: '✘', word: 'fails', meaning: "The connectors don't work with this." },
  unknown: { icon: '?', word: 'unknown', meaning: 'The probe got no answer. The report says why.' },
} as const satisfies Record<Verdict, { icon: string; word: string; meaning: string }>;

/** The report in a few words. */
export interface Summary {
  verdict: Verdict;
  headline: string;
  counts: string;
  /** Why it doesn't work. */
  failures: readonly Finding[];
  /** What wasn't checked, and what to do, as sentences, if nothing fails. */
  unchecked: readonly string[];
}

/** Whether the service can be reached and accepts the key. */
export function hasAccess(findings: readonly Finding[]): boolean {
  return !findings.some(
    ({ id, verdict }) => (id === 'connection.reach' || id === 'connection.key') && verdict !== 'works',
  );
}

/** The areas that are the connectors' work. The others say nothing about whether they work. */
const WORK: readonly Area[] = ['Codes', 'Lists', 'Scans', 'Images', 'Webhooks', 'Idempotency'];

const isKnown = ({ verdict }: Finding) => verdict !== 'unknown';

/** Whether nothing that the connectors do could be checked, for example as the key has no scopes. */
export function isNothingChecked(findings: readonly Finding[]): boolean {
  const work = findings.filter(({ area }) => WORK.includes(area));
  return (
    findings.some(isKnown) && !work.some(isKnown) && !findings.some(({ verdict }) => verdict === 'fails')
  );
}

/** What wasn't checked, by reason: the reasons say what to do. The most frequent is first. */
function findUnchecked(findings: readonly Finding[]): string[] {
  const byReason = new Map<string, Finding[]>();
  for (const finding of findings)
    if (!isKnown(finding)) {
      const { explanation = '' } = finding;
      byReason.set(explanation, [...(byReason.get(explanation) ?? []), finding]);
    }
  return [...byReason]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([reason, found]) => {
      const titles =
        found.length <= MOST_TITLES ? found.map(({ title }) => title) : [`${found.length} points`];
      return `Not checked: ${titles.join(', ')}. ${reason}`.trim();
    });
}

const MOST_TITLES = 2;

/** Sums up findings about a service. */
export function summarize(findings: readonly Finding[], { stopped = false } = {}): Summary {
  const of = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict);
  const failures = of('fails');
  const [works, differs, unknown] = [of('works').length, of('differs').length, of('unknown').length];
  const counts = [
    ...(failures.length > 0 ? [`${failures.length} ${failures.length === 1 ? 'fails' : 'fail'}`] : []),
    `${works} ${works === 1 ? 'works' : 'work'}`,
    ...(differs > 0 ? [`${differs} ${differs === 1 ? 'differs' : 'differ'} from the API text`] : []),
    ...(unknown > 0 ? [`${unknown} ${unknown === 1 ? 'is' : 'are'} unknown`] : []),
  ].join(', ');
  const rest = {
    counts: `Of ${findings.length} points, ${counts}.`,
    failures,
    unchecked: failures.length === 0 && works + differs > 0 ? findUnchecked(findings) : [],
  };
  if (!hasAccess(findings) && failures.length > 0)
    return { verdict: 'fails', headline: 'The service could not be checked.', ...rest };
  if (failures.length > 0)
    return { verdict: 'fails', headline: "The connectors don't fully work with this service.", ...rest };
  if (stopped)
    return {
      verdict: 'unknown',
      headline: 'The probe was stopped before it had checked everything.',
      ...rest,
    };
  if (works + differs === 0) return { verdict: 'unknown', headline: 'The probe got no answers.', ...rest };
  if (isNothingChecked(findings))
    return { verdict: 'unknown', headline: 'Nothing that the connectors do could be checked.', ...rest };
  const scope = unknown > 0 ? 'as far as the probe could check' : undefined;
  const departs = differs > 0 ? 'which departs from its API text' : undefined;
  const parts = ['The connectors work with this service', departs, scope].filter(
    (part) => part !== undefined,
  );
  return { verdict: differs > 0 ? 'differs' : 'works', headline: `${parts.join(', ')}.`, ...rest };
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
