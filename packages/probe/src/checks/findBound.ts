/** What `findBound` needs to know. */
export interface BoundSearch {
  /** A whole number that is accepted. */
  from: number;
  /** Direction of the search. */
  toward: 'largest' | 'smallest';
  /** Likely bounds, sorted in the direction of the search. Nothing beyond the last one is tried. */
  candidates: readonly number[];
  /**
   * Tries a number.
   * @returns whether it is accepted, with other numbers to try, such as those in the refusal's message
   */
  accepts: (value: number) => Promise<{ accepted: boolean; hints?: readonly number[] }>;
  /** Most numbers to try. */
  maxTries: number;
}

/** The last number that is accepted. `isOpen`: even the last candidate is. `isRough`: the search ended before it was exact. */
export interface Bound {
  value: number;
  isOpen?: true;
  isRough?: true;
}

/** Finds the largest or smallest whole number that is accepted, if all those between it and `from` are. */
export async function findBound({
  from,
  toward,
  candidates,
  accepts,
  maxTries,
}: BoundSearch): Promise<Bound> {
  const step = toward === 'largest' ? 1 : -1;
  const isBeyond = (value: number, other: number) => (value - other) * step > 0;
  let accepted = from;
  let refused: number | undefined;
  let tries = 0;
  const hints: number[] = [];
  const tryOut = async (value: number) => {
    tries++;
    const outcome = await accepts(value);
    if (outcome.accepted) accepted = value;
    else {
      refused = value;
      hints.push(...(outcome.hints ?? []));
    }
    return outcome.accepted;
  };
  const isOpen = (value: number) =>
    isBeyond(value, accepted) && (refused === undefined || isBeyond(refused, value));

  for (const candidate of candidates) {
    if (!isBeyond(candidate, accepted)) continue;
    if (!(await tryOut(candidate))) break;
  }
  if (refused === undefined) return { value: accepted, isOpen: true };
  for (const hint of hints) {
    if (tries >= maxTries || !Number.isSafeInteger(hint)) break;
    if (isOpen(hint) && (await tryOut(hint)) && isOpen(hint + step)) await tryOut(hint + step);
  }
  // Bounds are often the last round number.
  if (isOpen(accepted + step) && tries < maxTries) await tryOut(accepted + step);
  while (Math.abs(refused - accepted) > 1) {
    if (tries >= maxTries) return { value: accepted, isRough: true };
    await tryOut(Math.trunc((accepted + refused) / 2));
  }
  return { value: accepted };
}

/** The whole numbers in a text, without duplicates. */
export function numbersIn(text: string): number[] {
  return [...new Set((text.match(/(?<![\d.\w-])\d{1,9}(?![\d.]*\d)/g) ?? []).map(Number))].slice(0, 6);
}
