import { MultiBar, Presets } from 'cli-progress';

/** A progress bar, driven by the number of requests that the emulator has handled. */
export interface Progress {
  /** Runs a step of about this many requests, then prints its label. */
  step<T>(label: string, requests: number, work: () => Promise<T>): Promise<T>;
  /** Prints a line above the bar. */
  log(line: string): void;
  end(): void;
}

/** @param total number of requests of all steps */
export function startProgress(total: number, requestCount: () => Promise<number>): Progress {
  const onTerminal = process.stdout.isTTY;
  const bars = new MultiBar(
    {
      format: '  {bar} {percentage} % | {label}',
      // Leaves room for the longest label in 100 columns.
      barsize: 24,
      hideCursor: true,
      clearOnComplete: true,
      stream: process.stdout,
    },
    Presets.shades_classic,
  );
  const bar = onTerminal ? bars.create(total, 0, { label: '' }) : undefined;
  let done = 0;

  function log(line: string): void {
    if (bar === undefined) console.log(line);
    else bars.log(`${line}\n`);
  }

  return {
    log,
    async step(label, requests, work) {
      bar?.update(done, { label });
      const before = await requestCount();
      const timer = setInterval(() => {
        void requestCount().then((count) => bar?.update(done + Math.min(count - before, requests)));
      }, 100);
      try {
        const result = await work();
        done += requests;
        bar?.update(done);
        log(`  ✓ ${label}`);
        return result;
      } finally {
        clearInterval(timer);
      }
    },
    end: () => {
      // Stopping drops lines that aren't printed yet, such as the last step's.
      if (bars.isActive) bars.update();
      bars.stop();
    },
  };
}
