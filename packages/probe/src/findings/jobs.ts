import { OPEN_WRITE, type FindingId } from './catalog.ts';
import type { Area, Finding } from './Finding.ts';

/** Why the instant trigger is open without `--webhook`. */
const OPEN_WEBHOOK = 'No delivery was received. Run the probe again with --write and --webhook.';

type Group = 'Reading' | 'Creating' | 'Changing' | 'Webhooks';

/** What a user has the connectors do, and what must have been seen so that it works. */
interface Job {
  title: string;
  group: Group;
  seen: readonly (FindingId | 'webhooks.delivery' | 'webhooks.signature')[];
  /**
   * Every finding of this area counts, too.
   * @default none
   */
  area?: Area;
}

/** The jobs, in the order of the report. */
const JOBS: Record<string, Job> = {
  create: {
    title: 'Create a code',
    group: 'Creating',
    seen: ['codes.create', 'codes.name', 'idempotency.replay'],
  },
  publish: { title: 'Publish it', group: 'Creating', seen: ['codes.publish'] },
  link: { title: 'Its short link leads to the target', group: 'Creating', seen: ['codes.redirect'] },
  change: { title: 'Change the destination', group: 'Changing', seen: ['codes.destination'] },
  newLink: { title: 'Its short link leads to the new target', group: 'Changing', seen: ['codes.retargeted'] },
  png: { title: 'Image as PNG', group: 'Reading', seen: ['images.png'] },
  svg: { title: 'Image as SVG', group: 'Reading', seen: ['images.svg'] },
  pdf: { title: 'Image as PDF', group: 'Reading', seen: ['images.pdf'] },
  trigger: {
    title: 'Instant trigger',
    group: 'Webhooks',
    // A genuine delivery shows a subscription and its secret, too.
    seen: ['webhooks.delivery', 'webhooks.signature'],
    area: 'Webhooks',
  },
  changes: {
    title: 'Poll for changes',
    group: 'Reading',
    seen: ['lists.key', 'lists.walk', 'lists.edits', 'lists.since', 'lists.visibility', 'codes.fields'],
  },
  scans: {
    title: 'Poll for scans',
    group: 'Reading',
    seen: ['scans.list', 'scans.fields', 'scans.cursor', 'scans.since'],
  },
};

/** Whether a job works: `unknown` unless all was seen. Its explanation is that of the finding that decides. */
export interface JobFinding extends Finding {
  verdict: 'works' | 'fails' | 'unknown';
  group: Group;
  /** Whether this run was asked to check it. */
  isAsked: boolean;
}

/** The verdict for each job, derived from what was seen. */
export function judgeJobs(findings: readonly Finding[]): JobFinding[] {
  return Object.entries(JOBS).map(([id, job]) => {
    const { title, group, seen } = job;
    const related = findings.filter((finding) => isPartOf(job, finding));
    // Reading works without what only writing shows.
    const isOpen = ({ verdict, explanation }: Finding) =>
      verdict === 'unknown' && !(group === 'Reading' && explanation === OPEN_WRITE);
    const isSeen = seen.every((name) => related.some((finding) => finding.id === name && !isOpen(finding)));
    const failure = related.find(({ verdict }) => verdict === 'fails');
    const verdict = failure ? 'fails' : isSeen ? 'works' : 'unknown';
    const explanation =
      failure?.explanation ??
      (isSeen
        ? undefined
        : (related.find(isOpen)?.explanation ?? (group === 'Webhooks' ? OPEN_WEBHOOK : undefined)));
    const isAsked = explanation !== OPEN_WRITE && explanation !== OPEN_WEBHOOK;
    return {
      id: `jobs.${id}`,
      area: 'Jobs',
      title,
      group,
      verdict,
      isAsked,
      ...(explanation !== undefined && { explanation }),
    };
  });
}

/** Whether a finding is part of a job's verdict. */
export function isPartOfJobs(finding: Finding): boolean {
  return Object.values(JOBS).some((job) => isPartOf(job, finding));
}

function isPartOf({ seen, area }: Job, finding: Finding): boolean {
  return finding.area === area || seen.some((id) => id === finding.id);
}
