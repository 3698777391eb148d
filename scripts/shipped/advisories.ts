import { execFile } from 'node:child_process';

/** Known advisories for the runtime dependencies, or why there is no report. */
export type Advisories = { known: string[] } | { unavailable: string };

/** The fields of `npm audit --json` that are used here. */
interface Audit {
  vulnerabilities?: Record<string, { severity: string; range: string }>;
  message?: string;
}

const TIMEOUT_MS = 60_000;

/** Requests advisories from the registry. Not every registry supports this. */
export async function findAdvisories(root: string, workspaces: readonly string[]): Promise<Advisories> {
  const args = ['audit', '--omit=dev', '--json', ...workspaces.flatMap((workspace) => ['-w', workspace])];
  const output = await new Promise<string>((resolve) => {
    // With advisories, npm exits with 1 but still prints its report.
    execFile(
      'npm',
      args,
      { cwd: root, timeout: TIMEOUT_MS, shell: process.platform === 'win32' },
      (_error, stdout) => resolve(stdout),
    );
  });
  return readAudit(output);
}

/** Parses the output of `npm audit --json`. */
export function readAudit(output: string): Advisories {
  let audit: Audit;
  try {
    audit = JSON.parse(output) as Audit;
  } catch {
    return { unavailable: 'npm audit returned no report' };
  }
  if (audit.vulnerabilities === undefined)
    return { unavailable: audit.message ?? 'npm audit returned no report' };
  return {
    known: Object.entries(audit.vulnerabilities).map(
      ([name, { severity, range }]) => `${name} ${range}: ${severity}`,
    ),
  };
}
