import type { Finding } from '../findings/Finding.ts';
import { hasAccess, isNothingChecked } from '../report/summary.ts';

/** How the command ends. */
export const EXIT = { works: 0, fails: 1, unusable: 2, stopped: 130 } as const;

/**
 * The exit status for what was found. What is unknown doesn't count as a failure, except for a delivery that was asked
 * for.
 */
export function exitStatus(findings: readonly Finding[], isDeliveryExpected = false): number {
  if (!hasAccess(findings) || isNothingChecked(findings)) return EXIT.unusable;
  const isMissing =
    isDeliveryExpected &&
    !findings.some(({ id, verdict }) => id === 'webhooks.delivery' && verdict === 'works');
  return isMissing || findings.some(({ verdict }) => verdict === 'fails') ? EXIT.fails : EXIT.works;
}
