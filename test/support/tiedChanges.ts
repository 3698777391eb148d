import type { Control, EmulatorOptions } from 'qr-service-emulator';
import { randomIntegers, runs } from './seed.ts';

type Row = Record<string, unknown>;

/** Step of `updatedAt`: many polls fall into one. */
const STEP_MS = 60_000;
const CODES = 12;

/** Services on which many codes share their `updatedAt`, in every order, and on which changes show late. */
export const TIED_SERVICES = (['ascending', 'descending', 'id'] as const).flatMap((listOrder, nth) =>
  [0, 20_000].map((visibleAfterMs): [name: string, options: EmulatorOptions] => [
    `${listOrder}, lists ${visibleAfterMs} ms behind`,
    {
      updatedAtStepMs: STEP_MS,
      visibleAfterMs,
      listOrder,
      listSince: nth === 1 ? 'exclusive' : 'inclusive',
      maxLimit: 50,
      seed: {
        codes: Array.from({ length: CODES }, (_, code) => ({
          id: `qr_${code}`,
          name: `Code ${code}`,
          targetUrl: 'https://example.com/',
        })),
      },
    },
  ]),
);

/** A trigger that polls. */
interface PolledTrigger {
  /** Called once, when the trigger is turned on. What was changed before must not be returned later. */
  turnOn: () => Promise<unknown>;
  /** Returns the rows that start a run. */
  poll: () => Promise<Row[]>;
}

/**
 * Changes codes between polls, and returns the names that the trigger returned last, next to the expected ones, with all
 * rows that it returned twice.
 * @param advance moves the service's clock, which must show the start of a step at first
 */
export async function pollTiedChanges(
  control: Control,
  advance: (ms: number) => void,
  { turnOn, poll }: PolledTrigger,
): Promise<{ returned: Row; expected: Row; duplicates: string[] }> {
  const random = randomIntegers();
  const expected: Row = {};
  const returned: Row = {};
  const duplicates: string[] = [];
  const seen = new Set<string>();
  let edits = 0;

  const change = (id: string): string => {
    const name = `Edit ${++edits}`;
    control.rename(id, name);
    return name;
  };
  const take = async () => {
    const rows = await poll();
    for (const { id, name, updatedAt } of rows) {
      const key = [id, updatedAt, name].join(' ');
      if (seen.has(key)) duplicates.push(key);
      seen.add(key);
      returned[String(id)] = name;
    }
    return rows.length;
  };

  // The codes were made in the first step.
  advance(STEP_MS);
  change('qr_0');
  advance(control.settings().visibleAfterMs + 1);
  await turnOn();
  for (let round = 0; round < runs(6, 30); round++) {
    for (let nth = random(5); nth >= 0; nth--) {
      // The first change is in the step in which the trigger was turned on.
      const id = `qr_${round === 0 ? 1 : random(CODES)}`;
      expected[id] = change(id);
      advance(random(3));
    }
    await take();
    advance(random(STEP_MS / 2));
  }
  advance(2 * STEP_MS);
  await take();
  if ((await take()) > 0) duplicates.push('the last poll');
  return { returned, expected, duplicates };
}
