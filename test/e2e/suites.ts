import type { RequirementName } from './support/suite/requirements.ts';

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

/** The end-to-end suites, by name for `npm run e2e -- <suite>`. */
export const SUITES: Readonly<Record<string, Suite>> = {
  inspector: {
    about: "The emulator's inspector in a real browser",
    needs: ['chromium'],
    takes: '30 s',
    options: ["--pictures  take the screenshots for the emulator's README instead"],
    load: () => import('./inspector/main.ts'),
  },
  n8n: {
    about: 'The package on a real n8n server, installed as users install it',
    needs: ['n8n'],
    takes: '8 min',
    options: [
      'connection | install | examples | templates | agent | mcp | rows | events | sharedWorkflow | polling | quietTrigger | sample | schema | picker | activation | editor  run only these parts',
      "--durable  the polling triggers on n8n's durable scheduler, with a SIGKILL between polls (3 min)",
      '--n8n-url http://localhost:5678  run the parts on an n8n that runs already: see test/README.md',
      '--host host.docker.internal  name of this machine for that n8n. Default: 127.0.0.1',
      "--screenshots  take the screenshots for the package's README instead",
      '--pictures  take a picture of each example workflow instead',
    ],
    load: () => import('./n8n/main.ts'),
  },
  queue: {
    about: 'The package on n8n in queue mode: one main, one webhook processor, two workers',
    needs: ['redis', 'postgresql', 'n8n'],
    takes: '6 min',
    options: ['polling | rows | events | quietTrigger  run only these parts'],
    load: () => import('./queue/main.ts'),
  },
  kill: {
    about: 'Each process of n8n in queue mode, and the service, killed while working',
    needs: ['redis', 'postgresql', 'n8n'],
    takes: '5 min',
    options: ['worker | processor | main | redis | emulator  run only these parts'],
    load: () => import('./kill/main.ts'),
  },
  soak: {
    about: 'Mixed load on one n8n server: memory growth, lost and duplicate work',
    needs: ['n8n'],
    takes: '25 min',
    options: ['--minutes 3  a shorter run, which misses slow leaks'],
    load: () => import('./soak/main.ts'),
  },
  hostile: {
    about: "Hostile requests, 10,000 to the emulator and 10,000 to n8n's instant trigger",
    needs: ['n8n'],
    takes: '10 min',
    options: [
      '--seed 7  send the same requests again',
      '--count 500  send fewer',
      '--only emulator | trigger  send them to one of the two',
    ],
    load: () => import('./hostile/main.ts'),
  },
  release: {
    about: 'The last commit released to a registry on this machine, used as the READMEs say, and updated',
    needs: ['chromium', 'n8n'],
    takes: '5 min',
    options: [],
    load: () => import('./release/main.ts'),
  },
};
