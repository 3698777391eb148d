// node scripts/longSuites.ts    prints the commit on which each suite of long.yml was last green, for a release's text
import { readFileSync } from 'node:fs';

const WORKFLOW = 'long.yml';

interface Run {
  id: number;
  head_sha: string;
}

interface Job {
  /** The suite, as in the workflow's matrix. */
  name: string;
  conclusion: string | null;
}

const file = new URL(`../.github/workflows/${WORKFLOW}`, import.meta.url);
const suites = /^ +suite: \[(.*)\]$/m.exec(readFileSync(file, 'utf8'))?.[1]?.split(', ') ?? [];
const { GITHUB_API_URL, GITHUB_REPOSITORY, GH_TOKEN } = process.env;

async function get<Body>(path: string): Promise<Body> {
  const headers = { Authorization: `Bearer ${GH_TOKEN}` };
  const response = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/actions/${path}`, { headers });
  if (!response.ok) throw new Error(`${response.url} responded with ${response.status}.`);
  return (await response.json()) as Body;
}

/** The newest commit on which each suite was green. GitHub lists the newest run first. */
async function findGreen(): Promise<Map<string, string>> {
  const green = new Map<string, string>();
  for (let page = 1; green.size < suites.length; page++) {
    const path = `workflows/${WORKFLOW}/runs?branch=main&per_page=100&page=${page}`;
    const { workflow_runs: runs } = await get<{ workflow_runs: Run[] }>(path);
    if (runs.length === 0) break;
    for (const run of runs) {
      const { jobs } = await get<{ jobs: Job[] }>(`runs/${run.id}/jobs`);
      for (const { name, conclusion } of jobs)
        if (suites.includes(name) && conclusion === 'success' && !green.has(name))
          green.set(name, run.head_sha);
    }
  }
  return green;
}

const green = await findGreen();
console.log('Last green run of each long suite, of those that GitHub still has:\n');
for (const suite of suites) console.log(`- \`${suite}\`: ${green.get(suite) ?? 'never'}`);
