import { execFile } from 'node:child_process';

/** What the registry knows about the packages that are installed to run the two products. */
export type Advisories = { known: string[] } | { unavailable: string };

/** The answer of `npm audit --json`, as far as it matters here. */
interface Audit {
  vulnerabilities?: Record<string, { severity: string; range: string }>;
  message?: string;
}

const TIMEOUT_MS = 60_000;

/** Asks the registry; where it does not answer such questions, says so. */
export async function findAdvisories(root: string, workspaces: readonly string[]): Promise<Advisories> {
  const args = ['audit', '--omit=dev', '--json', ...workspaces.flatMap((workspace) => ['-w', workspace])];
  const output = await new Promise<string>((resolve) => {
    // It ends with 1 where there are advisories, and says which all the same.
    execFile(
      'npm',
      args,
      { cwd: root, timeout: TIMEOUT_MS, shell: process.platform === 'win32' },
      (_error, stdout) => resolve(stdout),
    );
  });
  return readAudit(output);
}

/** Reads what `npm audit --json` printed. */
export function readAudit(output: string): Advisories {
  let audit: Audit;
  try {
    audit = JSON.parse(output) as Audit;
  } catch {
    return { unavailable: 'npm gave no answer' };
  }
  if (audit.vulnerabilities === undefined) return { unavailable: audit.message ?? 'npm gave no answer' };
  return {
    known: Object.entries(audit.vulnerabilities).map(
      ([name, { severity, range }]) => `${name} ${range}: ${severity}`,
    ),
  };
}
