/** A benchmark. Its module exports `run`. */
interface Benchmark {
  /** What it answers. */
  question: string;
  /** These take minutes and need n8n, so they run only if they are named. */
  onlyOnRequest?: true;
  load: () => Promise<{ run: () => Promise<void> }>;
}

/** The benchmarks, by name for `npm run bench -- <name>`. */
export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  verify: {
    question: 'How fast are signatures verified, compared with other libraries?',
    load: () => import('./verify.ts'),
  },
  get: {
    question: 'How fast is reading a code, compared with other HTTP clients?',
    load: () => import('./get.ts'),
  },
  walk: {
    question: 'How fast is listing 10,000 codes?',
    load: () => import('./walk.ts'),
  },
  pacing: {
    question: 'How long do 2,000 creates take, limited to 200 a second?',
    load: () => import('./pacing.ts'),
  },
  'n8n-poll': {
    question: 'How fast does the polling trigger return 10,000 changed codes?',
    load: () => import('./n8nPoll.ts'),
  },
  zapier: {
    question: 'What does the app add to a cold start, and how large is the upload?',
    load: () => import('./zapier.ts'),
  },
  emulator: {
    question: 'How much load can the emulator handle?',
    load: () => import('./emulator.ts'),
  },
  'emulator-memory': {
    question: "Does the emulator's memory stop growing?",
    load: () => import('./emulatorMemory.ts'),
  },
  size: {
    question: 'How large is each entry point of the core, without undici?',
    load: () => import('./size.ts'),
  },
  'n8n-rows': {
    question: "How long do 10,000 rows take in n8n's engine?",
    onlyOnRequest: true,
    load: () => import('./n8nRows.ts'),
  },
  'n8n-server': {
    question: 'How fast does a real n8n start executions?',
    onlyOnRequest: true,
    load: () => import('./n8nServer.ts'),
  },
};

/** A benchmark's question, and whether it has to be named. */
export function about({ question, onlyOnRequest }: Benchmark): string {
  return onlyOnRequest === true ? `${question} Only on request` : question;
}
