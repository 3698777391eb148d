const MAX_CHECKS = 30_000;

/** Waits until a condition is true. The limit only ends a hang. */
export async function until(condition: () => boolean): Promise<void> {
  for (let check = 0; !condition(); check++) {
    if (check === MAX_CHECKS) throw new Error(`The condition never became true: ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
