import { isInstalled } from '../../tools/install.ts';
import { findDebianProgram } from '../process/debianProgram.ts';
import { findChromium } from './chromium.ts';

/** Something that a suite needs on the machine. */
interface Requirement {
  /** As the list of suites names it. */
  label: string;
  isThere(): boolean | Promise<boolean>;
  /** How to get it, in one sentence. */
  remedy: string;
  /** Whether the suite installs it itself. */
  installsItself?: boolean;
}

/** What suites need beyond `npm ci`. */
export const REQUIREMENTS = {
  chromium: {
    label: 'Chromium',
    isThere: () => findChromium() !== undefined,
    remedy: "Chromium isn't installed. On Debian, run: apt-get install chromium",
  },
  redis: {
    label: 'Redis',
    isThere: () => findDebianProgram('redis-server') !== undefined,
    remedy: "Redis isn't installed. On Debian, run: apt-get install --no-install-recommends redis-server",
  },
  postgresql: {
    label: 'PostgreSQL',
    isThere: () => findDebianProgram('initdb') !== undefined,
    remedy: "PostgreSQL isn't installed. On Debian, run: apt-get install --no-install-recommends postgresql",
  },
  n8n: {
    label: 'n8n (installed on first use, 2.2 GB)',
    isThere: () => isInstalled('n8n'),
    remedy: "n8n isn't installed yet. To install it once, run: npm run e2e -- n8n",
    installsItself: true,
  },
} satisfies Record<string, Requirement>;

/** Name of something that a suite needs. */
export type RequirementName = keyof typeof REQUIREMENTS;

/**
 * How to get each thing that is missing, a sentence each.
 * @param andInstalled whether what a suite would install itself has to be there, too
 */
export async function findMissing(
  needs: readonly RequirementName[],
  { andInstalled }: { andInstalled: boolean },
): Promise<string[]> {
  const missing: string[] = [];
  for (const name of needs) {
    const requirement: Requirement = REQUIREMENTS[name];
    if (requirement.installsItself === true && !andInstalled) continue;
    if (!(await requirement.isThere())) missing.push(requirement.remedy);
  }
  return missing;
}
