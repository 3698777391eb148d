/** Runs work on the same thing one after the other, in the order of the calls. */
export class Turns {
  /** The end of the last work by its name. */
  readonly #ends = new Map<string, Promise<void>>();

  /**
   * Runs work once all earlier work with this name has ended, however it ended.
   * @throws the signal's reason if it was aborted by then
   */
  async take<Result>(name: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#after(this.#ends.get(name), signal, work);
    const end = turn.then(ignore, ignore);
    this.#ends.set(name, end);
    try {
      return await turn;
    } finally {
      if (this.#ends.get(name) === end) this.#ends.delete(name);
    }
  }

  async #after<Result>(
    previous: Promise<void> | undefined,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await previous;
    signal.throwIfAborted();
    return work();
  }
}

function ignore(): void {
  // Only the end matters.
}
