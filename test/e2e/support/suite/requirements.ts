import { isInstalled } from '../../../../scripts/tools/install.ts';
import { findDebianProgram } from '../process/debianServers.ts';
import { findChromium } from '../../../../scripts/tools/chromium.ts';

/** Software that a suite needs. */
interface Requirement {
  /** Name in the list of suites. */
  label: string;
  isAvailable(): boolean | Promise<boolean>;
  /** How to install it. */
  installHint: string;
  /** Whether the suite installs it if it is missing. */
  installedBySuite?: boolean;
}

/** What suites need beyond `npm ci`. */
export const REQUIREMENTS = {
  chromium: {
    label: 'Chromium',
    isAvailable: () => findChromium() !== undefined,
    installHint: "Chromium isn't installed. On Debian, run: apt-get install chromium",
  },
  redis: {
    label: 'Redis',
    isAvailable: () => findDebianProgram('redis-server') !== undefined,
    installHint:
      "Redis isn't installed. On Debian, run: apt-get install --no-install-recommends redis-server",
  },
  postgresql: {
    label: 'PostgreSQL',
    isAvailable: () => findDebianProgram('initdb') !== undefined,
    installHint:
      "PostgreSQL isn't installed. On Debian, run: apt-get install --no-install-recommends postgresql",
  },
  n8n: {
    label: 'n8n (installed on first use, 2.2 GB)',
    isAvailable: () => isInstalled('n8n'),
    installHint: "n8n isn't installed yet. To install it once, run: npm run e2e -- n8n",
    installedBySuite: true,
  },
} satisfies Record<string, Requirement>;

/** Name of a requirement. */
export type RequirementName = keyof typeof REQUIREMENTS;

/**
 * Returns installation instructions for each missing requirement.
 * @param includeInstallable whether to include requirements that the suite would install itself
 */
export async function findMissing(
  needs: readonly RequirementName[],
  { includeInstallable }: { includeInstallable: boolean },
): Promise<string[]> {
  const missing: string[] = [];
  for (const name of needs) {
    const requirement: Requirement = REQUIREMENTS[name];
    if (requirement.installedBySuite === true && !includeInstallable) continue;
    if (!(await requirement.isAvailable())) missing.push(requirement.installHint);
  }
  return missing;
}
