import type { Finding } from '../findings/Finding.ts';

/** How the command ends. */
export const EXIT = { works: 0, fails: 1, unusable: 2, stopped: 130 } as const;

/** Whether the service can be reached and accepts the key. */
export function hasAccess(findings: readonly Finding[]): boolean {
  return !findings.some(
    ({ id, verdict }) => (id === 'connection.reach' || id === 'connection.key') && verdict !== 'works',
  );
}

/**
 * The exit status for what was found. What couldn't be found out is no failure, except for a delivery that the user asked
 * for.
 */
export function exitStatus(findings: readonly Finding[], isDeliveryExpected = false): number {
  if (!hasAccess(findings)) return EXIT.unusable;
  const isMissing =
    isDeliveryExpected &&
    !findings.some(({ id, verdict }) => id === 'webhooks.delivery' && verdict === 'works');
  return isMissing || findings.some(({ verdict }) => verdict === 'fails') ? EXIT.fails : EXIT.works;
}
