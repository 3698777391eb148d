import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../demo/main.ts', import.meta.url));

/** The demo in its own process, as `npm start` runs it after the build. */
interface DemoProcess {
  child: ChildProcess;
  /** Its output so far, from both streams. */
  output: () => string;
  /** Resolves with the match once the output matches. */
  waitForOutput: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Exit code or signal. */
  exited: Promise<number | NodeJS.Signals | null>;
}

export function startDemo(...args: string[]): DemoProcess {
  const flags = ['--conditions=@qr-service/source', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
    child.emit('output');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const exited = once(child, 'close').then(
    ([code, signal]) => (code as number | null) ?? (signal as NodeJS.Signals | null),
  );
  return {
    child,
    output: () => output,
    exited,
    async waitForOutput(pattern) {
      for (;;) {
        const match = pattern.exec(output);
        if (match !== null) return match;
        const more = await Promise.race([once(child, 'output'), exited.then(() => undefined)]);
        if (more === undefined)
          throw new Error(`The demo exited before its output matched ${String(pattern)}:\n${output}`);
      }
    },
  };
}
