import { BRAND, missingScopes, type Account, type Operation, type Scope } from '../../core.ts';

/** What in this package makes which call of the core. */
const USED_BY: Record<Operation, readonly string[]> = {
  me: ['Account: Get'],
  'qr.create': ['QR Code: Create'],
  'qr.list': [
    'QR Code: Get Many',
    'choosing a code from a list or by its short link',
    `${BRAND.name} Polling Trigger: Changed QR Codes`,
  ],
  'qr.get': ['QR Code: Get'],
  'qr.publish': ['QR Code: Publish'],
  'qr.render': ['QR Code: Render'],
  'qr.retarget': ['QR Code: Retarget'],
  'webhooks.subscribe': [`${BRAND.name} Trigger`],
  'webhooks.unsubscribe': [],
  'scans.list': ['Scan: Get Many', `${BRAND.name} Polling Trigger: Scans`],
};

/** Characters of a text for people; the names in it are the service's own. */
const LONGEST_TEXT = 2000;

/** What a key can't be used for. */
export interface Gaps {
  /** Scopes that something in this package needs and the key lacks. */
  missingScopes: Scope[];
  /** What does not work without them. */
  unavailable: string[];
}

/** What a key with these scopes can't be used for. */
export function findGaps(scopes: readonly string[]): Gaps {
  const missing = missingScopes(scopes);
  return {
    missingScopes: missing.map(({ scope }) => scope),
    unavailable: missing.flatMap(({ operations }) => usesOf(operations)),
  };
}

/** The workspace that a key opens, its scopes and what is not possible without the others, in sentences. */
export function describeAccount({ workspace, scopes }: Account): string {
  const name = workspace?.name ?? workspace?.id;
  const connected = name === undefined ? 'Connected.' : `Connected to the workspace "${name}".`;
  if (scopes === undefined) return `${connected} The service does not tell which scopes the key has.`;
  const held = `Scopes held: ${scopes.length === 0 ? 'none' : scopes.join(', ')}.`;
  const gaps = missingScopes(scopes).map(
    ({ scope, operations }) => `Not possible without "${scope}": ${usesOf(operations).join(', ')}.`,
  );
  return [connected, held, ...gaps].join(' ').slice(0, LONGEST_TEXT);
}

function usesOf(operations: readonly Operation[]): string[] {
  return operations.flatMap((operation) => USED_BY[operation]);
}
