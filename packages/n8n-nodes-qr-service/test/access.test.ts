import { OPERATION_SCOPES } from '@qr-service/core/connector';
import { findGaps, SCOPE_USES } from '../nodes/shared/access.ts';

test('the credential explains exactly the scopes that the package needs', () => {
  const needed = new Set(Object.values(OPERATION_SCOPES).filter((scope) => scope !== undefined));
  expect(new Set(Object.keys(SCOPE_USES))).toEqual(needed);
  expect(new Set(findGaps([]).missingScopes)).toEqual(needed);
});
