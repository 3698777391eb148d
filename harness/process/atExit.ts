const tasks = new Set<() => void>();

/** Does something as the process ends, however it ends; the returned function does away with that. */
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
  // Without a listener, a signal ends the process without the event "exit".
  process.on('SIGINT', () => process.exit(130));
  process.on('SIGTERM', () => process.exit(143));
}
