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
    takes: '1 min',
    options: [],
    load: () => import('./inspector/main.ts'),
  },
  n8n: {
    about: 'The package on a real n8n server, installed as users install it',
    needs: ['n8n'],
    takes: '8 min',
    options: [
      'connection | install | examples | templates | agent | mcp | rows | events | sharedWorkflow | polling | sample | schema | picker | activation | editor  run only these parts',
      "--durable  the polling triggers on n8n's durable scheduler, with a SIGKILL between polls (3 min)",
      '--n8n-url http://localhost:5678  run the parts on an n8n that runs already: see test/README.md',
      '--host host.docker.internal  name of this machine for that n8n. Default: 127.0.0.1',
    ],
    load: () => import('./n8n/main.ts'),
  },
  queue: {
    about:
      'n8n in queue mode: one main, one webhook processor, two workers, each of them killed while working',
    needs: ['redis', 'postgresql', 'n8n'],
    takes: '6 min',
    options: ['polling | rows | events | activation  run only these parts'],
    load: () => import('./queue/main.ts'),
  },
};
