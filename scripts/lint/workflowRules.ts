import { parse } from 'yaml';

interface Workflow {
  permissions?: unknown;
  concurrency?: unknown;
  jobs: Record<string, Job>;
}

interface Job {
  'timeout-minutes'?: number;
  /** A reusable workflow, which sets its own limits. */
  uses?: string;
  permissions?: Record<string, unknown>;
  steps?: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

/** A commit and, as a comment, its version. A tag can be moved to other code. */
const PINNED = /^\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** Returns what a GitHub workflow lacks by the rules of this repository, which actionlint doesn't have. */
export function findWorkflowProblems(text: string): string[] {
  const { permissions, concurrency, jobs } = parse(text) as Workflow;
  const problems: string[] = [];
  if (permissions === undefined) problems.push('has no permissions, so its token gets the default ones');
  if (permissions === 'write-all') problems.push('has all permissions');
  if (concurrency === undefined) problems.push('has no concurrency group');

  for (const [name, job] of Object.entries(jobs)) {
    if (job.uses === undefined && job['timeout-minutes'] === undefined)
      problems.push(`has no timeout-minutes in the job ${name}`);
    if (
      job.permissions?.['id-token'] === 'write' &&
      job.steps?.some(({ run = '' }) => /\bnp[mx]\b/.test(run))
    )
      problems.push(`lets what npm installs or runs use the token of the job ${name}`);
    for (const step of job.steps ?? [])
      if (step.uses?.startsWith('actions/checkout@') && step.with?.['persist-credentials'] !== false)
        problems.push(
          `leaves its token in the checkout of the job ${name}: set persist-credentials to false`,
        );
  }

  for (const line of text.split('\n')) {
    const action = /\buses: ?(\S.*)$/.exec(line)?.[1] ?? './';
    if (!action.startsWith('./') && !PINNED.test(action))
      problems.push(
        `uses ${action}: pin it to a commit, followed by its version, as in "@<commit> # v1.2.3"`,
      );
  }
  return problems;
}
