import { isUsageError } from '../support/suite/selectParts.ts';
// npm run e2e                                     lists the suites with their requirements and duration
// npm run e2e -- <suite> [options]                runs a suite
// npm run e2e -- <suite> [options] --if-available skips it if a requirement isn't installed
//
// Exit status: 0 all passed, or skipped with --if-available; 1 a step failed; 2 invalid command line; 3 a requirement
// is missing. The last line counts passed, failed and skipped steps.
import { findMissing, REQUIREMENTS, type RequirementName } from './support/suite/requirements.ts';
import { tally } from './support/suite/step.ts';

/** A suite that needs servers, a browser or several minutes. */
interface Suite {
  /** One-line description. */
  about: string;
  needs: readonly RequirementName[];
  /** Duration on two cores, with everything installed. */
  takes: string;
  /** Help for its arguments, one line each. */
  options: readonly string[];
  /** Runs its steps. @throws UsageError for invalid arguments */
  load: () => Promise<{ run: (args: string[]) => Promise<void> }>;
}

const SUITES: Readonly<Record<string, Suite>> = {
  inspector: {
    about: "The emulator's inspector in a real browser",
    needs: ['chromium'],
    takes: '1 min',
    options: [],
    load: () => import('./inspector/main.ts'),
  },
  n8n: {
    about: 'The package on a real n8n server, installed as users install it',
    needs: ['n8n'],
    takes: '8 min',
    options: [
      'picker | activation | editor | install | examples | templates | agent | mcp | rows | events | polling  run only these parts',
      "--durable  the polling triggers on n8n's durable scheduler, with a SIGKILL between polls (3 min)",
    ],
    load: () => import('./n8n/main.ts'),
  },
  queue: {
    about:
      'n8n in queue mode: one main, one webhook processor, two workers, each of them killed while working',
    needs: ['redis', 'postgresql', 'n8n'],
    takes: '6 min',
    options: ['rows | events | activation  run only these parts'],
    load: () => import('./queue/main.ts'),
  },
};

const IF_AVAILABLE = '--if-available';

const [name, ...args] = process.argv.slice(2);
if (name === undefined || name === '--help') console.log(list());
else await start(name, args);

async function start(suiteName: string, args: string[]): Promise<void> {
  const suite = Object.hasOwn(SUITES, suiteName) ? SUITES[suiteName] : undefined;
  if (suite === undefined) {
    const names = Object.keys(SUITES).join(', ');
    end(2, `Unknown suite "${suiteName}". Choose from: ${names}.`);
    return;
  }
  process.on('exit', (status) => {
    // A step may have exited the process, or failed after it ended.
    if (status === 1 && tally.failed === 0) tally.failed++;
    const { passed, failed, skipped } = tally;
    if (passed + failed + skipped > 0)
      console.log(`${suiteName}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  });
  const optional = args.includes(IF_AVAILABLE);
  // The suites install n8n if it is missing, unless they may be skipped.
  const missing = await findMissing(suite.needs.filter((need) => optional || need !== 'n8n'));
  if (missing.length > 0) {
    tally.skipped++;
    end(optional ? 0 : 3, missing.join('\n'));
    return;
  }
  try {
    const { run } = await suite.load();
    await run(args.filter((arg) => arg !== IF_AVAILABLE));
  } catch (error) {
    if (!isUsageError(error)) {
      tally.failed++;
      throw error;
    }
    end(2, error.message);
  }
}

function end(status: number, message: string): void {
  console.error(message);
  process.exitCode = status;
}

function list(): string {
  const suites = Object.entries(SUITES).map(([suiteName, { about, needs, takes, options }]) =>
    [
      `  ${suiteName.padEnd(10)} ${about}`,
      `${' '.repeat(13)}needs ${needs.map((need) => REQUIREMENTS[need].label).join(', ')}; takes ${takes}`,
      ...options.map((option) => `${' '.repeat(13)}${option}`),
    ].join('\n'),
  );
  return [
    'npm run e2e -- <suite> [options]',
    '',
    suites.join('\n\n'),
    '',
    `  ${IF_AVAILABLE} skips a suite if a requirement isn't installed.`,
  ].join('\n');
}
