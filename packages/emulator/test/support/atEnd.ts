const tasks: (() => unknown)[] = [];

/** Runs the task after the test. What was started last is stopped first. */
export function atEnd(task: () => unknown): void {
  tasks.push(task);
}

afterEach(async () => {
  for (const task of tasks.splice(0).toReversed()) await task();
});
