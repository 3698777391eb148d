const tasks = new Set<() => void>();

/** Runs a task when the process exits, including by a signal. Returns a function that unregisters the task. */
export function atExit(task: () => void): () => void {
  listen();
  tasks.add(task);
  return () => tasks.delete(task);
}

let listening = false;

function listen(): void {
  if (listening) return;
  listening = true;
  process.on('exit', () => {
    for (const task of tasks) task();
  });
  // Without a listener, a signal ends the process without an "exit" event.
  process.on('SIGINT', () => process.exit(130));
  process.on('SIGTERM', () => process.exit(143));
}
