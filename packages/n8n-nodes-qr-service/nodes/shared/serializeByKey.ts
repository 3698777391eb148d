/** Runs work on one code after what came before it for the same code; work on other codes goes on at once. */
export type InTurn = <Result>(id: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes rows about the same code wait for each other, so that the last row wins and not the slowest request.
 * Nothing is kept of work that has ended.
 */
export function inTurn(): InTurn {
  const latest = new Map<string, Promise<unknown>>();
  return (id, work) => {
    const mine = (latest.get(id) ?? Promise.resolve()).then(work, work);
    latest.set(id, mine);
    const forget = () => {
      if (latest.get(id) === mine) latest.delete(id);
    };
    mine.then(forget, forget);
    return mine;
  };
}
