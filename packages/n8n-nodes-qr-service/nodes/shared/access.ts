import { BRAND, missingScopes, UPSERT_LABEL, type Account, type Operation, type Scope } from '../../core.ts';

/** What each scope used by this package is for. */
export const SCOPE_USES = {
  'qr:read': 'read QR codes and choose them from a list',
  'qr:write': 'create, publish and update QR codes',
  'exports:read': 'download images',
  'analytics:read': 'read scans',
  'webhooks:write': 'start workflows on events',
} as const satisfies Partial<Record<Scope, string>>;

const UPSERT = `QR Code: ${UPSERT_LABEL}`;

/** Where this package uses each of the core's operations. */
const USED_BY: Record<Operation, readonly string[]> = {
  me: ['Account: Get'],
  'qr.create': ['QR Code: Create', UPSERT],
  'qr.list': [
    'QR Code: Find',
    UPSERT,
    'QR Code: Get Many',
    'choosing a code from a list or by its short link',
    `${BRAND.name} Polling Trigger: Changed QR Codes`,
  ],
  'qr.get': ['QR Code: Get'],
  'qr.publish': ['QR Code: Publish'],
  'qr.render': ['QR Code: Download Image'],
  'qr.retarget': ['QR Code: Update Destination'],
  'webhooks.subscribe': [`${BRAND.name} Trigger`],
  'webhooks.unsubscribe': [],
  'scans.list': ['Scan: Get Many', `${BRAND.name} Polling Trigger: Scans`],
};

/** Maximum length of the description, as names from the service can have any length. */
const MAX_LENGTH = 2000;

/** What an API key can't be used for. */
interface Gaps {
  /** Scopes that this package uses and the key doesn't have. */
  missingScopes: Scope[];
  /** What doesn't work without them. */
  unavailable: string[];
}

/** Lists what an API key with these scopes can't be used for. */
export function findGaps(scopes: readonly string[]): Gaps {
  const missing = missingScopes(scopes);
  return {
    missingScopes: missing.map(({ scope }) => scope),
    unavailable: missing.flatMap(({ operations }) => usesOf(operations)),
  };
}

/** Describes an API key's workspace, its scopes, and what isn't possible without the others. */
export function describeAccount({ workspace, scopes }: Account): string {
  const name = workspace?.name ?? workspace?.id;
  const connected = name === undefined ? 'Connected.' : `Connected to the workspace "${name}".`;
  if (scopes === undefined) return `${connected} The service didn't return the scopes of the key.`;
  const held = `Scopes: ${scopes.length === 0 ? 'none' : scopes.join(', ')}.`;
  const gaps = missingScopes(scopes).map(
    ({ scope, operations }) => `Without "${scope}", these don't work: ${usesOf(operations).join(', ')}.`,
  );
  return [connected, held, ...gaps].join(' ').slice(0, MAX_LENGTH);
}

function usesOf(operations: readonly Operation[]): string[] {
  return operations.flatMap((operation) => USED_BY[operation]);
}
