import { findChromium } from '../../../../scripts/tools/chromium.ts';
import { isInstalled } from '../../../../scripts/tools/install.ts';
import { findDebianProgram } from '../process/debianServers.ts';

/** Software that a suite needs. */
interface Requirement {
  /** Name in the list of suites. */
  label: string;
  isAvailable: () => boolean | Promise<boolean>;
  /** How to install it. */
  installHint: string;
}

const debian = (label: string, program: string, install: string, find = findDebianProgram) => ({
  label,
  isAvailable: () => find(program) !== undefined,
  installHint: `${label} isn't installed. On Debian, run: apt-get install ${install}`,
});

/** What suites need beyond `npm ci`. The suites install n8n if it is missing. */
export const REQUIREMENTS = {
  chromium: debian('Chromium', 'chromium', 'chromium', findChromium),
  redis: debian('Redis', 'redis-server', '--no-install-recommends redis-server'),
  postgresql: debian('PostgreSQL', 'initdb', '--no-install-recommends postgresql'),
  n8n: {
    label: 'n8n (installed on first use, 2.2 GB)',
    isAvailable: () => isInstalled('n8n'),
    installHint: "n8n isn't installed yet. To install it once, run: npm run e2e -- n8n",
  },
} satisfies Record<string, Requirement>;

/** Name of a requirement. */
export type RequirementName = keyof typeof REQUIREMENTS;

/** Returns installation instructions for each of these that is missing. */
export async function findMissing(needs: readonly RequirementName[]): Promise<string[]> {
  const missing: string[] = [];
  for (const name of needs)
    if (!(await REQUIREMENTS[name].isAvailable())) missing.push(REQUIREMENTS[name].installHint);
  return missing;
}
