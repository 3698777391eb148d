import { missingScopes, type Scope } from '../../deps.ts';

/** What each scope used by this package is for. */
export const SCOPE_USES: Partial<Record<Scope, string>> = {
  'qr:read': 'read QR codes and choose them from a list',
  'qr:write': 'create, publish and update QR codes',
  'exports:read': 'download images',
  'analytics:read': 'read scans',
  'webhooks:write': 'start workflows on events',
};

/** What an API key with these scopes can't be used for: the scopes that it lacks, and what needs them. */
export function findGaps(scopes: readonly string[]): { missingScopes: Scope[]; unavailable: string[] } {
  const missing = missingScopes(scopes).map(({ scope }) => scope);
  return { missingScopes: missing, unavailable: missing.map((scope) => SCOPE_USES[scope] ?? scope) };
}
