import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SUITES } from '../test/e2e/suites.ts';

const RUNS = '/repos/a/b/actions/workflows/long.yml/runs?branch=main&per_page=100&page=';

/** Runs the command with GitHub's responses. Returns its list, as pairs of a suite and a commit. */
async function list(responses: Record<string, object>): Promise<string[][]> {
  const github = createServer(({ url = '' }, response) => {
    response.writeHead(url in responses ? 200 : 404).end(JSON.stringify(responses[url]));
  }).listen(0, '127.0.0.1');
  await once(github, 'listening');
  const GITHUB_API_URL = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
  const env = { ...process.env, NODE_OPTIONS: '', GITHUB_API_URL, GITHUB_REPOSITORY: 'a/b', GH_TOKEN: 'c' };
  try {
    const script = join(__dirname, 'longSuites.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
    return [...stdout.matchAll(/^- `(.+)`: (\w+)$/gm)].map(([, suite = '', commit = '']) => [suite, commit]);
  } finally {
    github.close();
  }
}

test('names the newest commit on which each suite was green, or says that there is none', async () => {
  const jobs = (conclusions: object) => ({
    jobs: Object.entries(conclusions).map(([name, conclusion]) => ({ name, conclusion })),
  });
  const found = await list({
    [`${RUNS}1`]: { workflow_runs: [3, 2].map((id) => ({ id, head_sha: `c${id}` })) },
    [`${RUNS}2`]: { workflow_runs: [{ id: 1, head_sha: 'c1' }] },
    [`${RUNS}3`]: { workflow_runs: [] },
    '/repos/a/b/actions/runs/3/jobs': jobs({ kill: 'failure', queue: 'success', soak: null }),
    '/repos/a/b/actions/runs/2/jobs': jobs({ kill: 'success', queue: 'success', soak: 'cancelled' }),
    '/repos/a/b/actions/runs/1/jobs': jobs({ kill: 'success', 'n8n --durable': 'success', other: 'success' }),
  });
  const green: Record<string, string> = { queue: 'c3', kill: 'c2', 'n8n --durable': 'c1' };
  expect(found).toEqual(found.map(([suite = '']) => [suite, green[suite] ?? 'never']));
  // .ci/run has the other suite.
  const long = Object.keys(SUITES).filter((name) => name !== 'inspector');
  expect(found.map(([suite]) => suite).sort()).toEqual([...long, 'n8n --durable'].sort());
});

test("fails if GitHub doesn't say", () => expect(list({})).rejects.toThrow('responded with 404'));
