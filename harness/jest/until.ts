const LOOKS = 30_000;

/** Waits until a condition holds. Its own limit only ends a hang. */
export async function until(holds: () => boolean): Promise<void> {
  for (let look = 0; !holds(); look++) {
    if (look === LOOKS) throw new Error(`The condition never held: ${String(holds)}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
