import type { Scope } from '../../deps.ts';

/** What each scope used by this package is for. */
export const SCOPE_USES: Partial<Record<Scope, string>> = {
  'qr:read': 'read QR codes and choose them from a list',
  'qr:write': 'create, publish and update QR codes',
  'exports:read': 'download images',
  'analytics:read': 'read scans',
  'webhooks:write': 'start workflows on events',
};
