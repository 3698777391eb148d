import type { IPollFunctions } from 'n8n-workflow';

/** What n8n gives a poll that its older scheduler runs, which waits for any time. */
const USUAL_BUDGET_MS = 5 * 60_000;

/** The part of n8n's time that a poll takes: what it found has to be handed over within it, too. */
const SHARE = 0.7;

/** The longest tick, whatever time n8n has for it. */
const LONGEST_TICK_MS = 45_000;

/**
 * Milliseconds that a poll may take. n8n's durable scheduler abandons one that takes longer than its budget and
 * throws its rows away. A first poll, which may have to read the ids of all records, takes more.
 */
export function pollTime(context: Pick<IPollFunctions, 'getMode'>, isFirst: boolean): number {
  // n8n has it since 2.38.
  const given = Math.round(
    ((context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? USUAL_BUDGET_MS) * SHARE,
  );
  const budget = given > 0 ? given : USUAL_BUDGET_MS * SHARE;
  return isFirst && context.getMode() !== 'manual' ? budget : Math.min(budget, LONGEST_TICK_MS);
}
