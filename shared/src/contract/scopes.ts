/** All scopes of an API key, in the order of the service's documentation. */
export const SCOPES = [
  'qr:read',
  'qr:write',
  'exports:read',
  'analytics:read',
  'bulk:write',
  'webhooks:write',
  'reviews:read',
] as const;
/** A scope of an API key (docs/api.md#authentication). */
export type Scope = (typeof SCOPES)[number];

/** The scope that each call of the client needs; `undefined` if any valid key will do. */
export const OPERATION_SCOPES = {
  me: undefined,
  'qr.create': 'qr:write',
  'qr.list': 'qr:read',
  'qr.get': 'qr:read',
  'qr.publish': 'qr:write',
  'qr.render': 'exports:read',
  'qr.retarget': 'qr:write',
  'webhooks.subscribe': 'webhooks:write',
  'webhooks.unsubscribe': 'webhooks:write',
  'scans.list': 'analytics:read',
} as const satisfies Record<string, Scope | undefined>;

/** A call of the client. */
export type Operation = keyof typeof OPERATION_SCOPES;

/** The scopes that a key doesn't have, each with the client calls that need it. */
export function missingScopes(held: readonly string[]): { scope: Scope; operations: Operation[] }[] {
  const operations = Object.keys(OPERATION_SCOPES) as Operation[];
  return SCOPES.filter((scope) => !held.includes(scope))
    .map((scope) => ({ scope, operations: operations.filter((name) => OPERATION_SCOPES[name] === scope) }))
    .filter((missing) => missing.operations.length > 0);
}
