import { SCOPES } from '@qr-service/core';
import { missingScopes } from '@qr-service/core/connector';
import type { Exchange } from '../http/Exchange.ts';
import { isObject } from './listForm.ts';
import type { Probe } from './Probe.ts';

/** Reads the response to `GET /me`. */
export async function checkAccount(probe: Probe, me: Exchange): Promise<void> {
  await probe.requireSuccess('account.body', me);
  const { result: account, error } = await probe.read([me], (client) => client.me());
  if (account === undefined) probe.fail('account.body', error, me);
  const { workspace } = account;
  // Names of another kind say nothing about what the key may do.
  const isScope = (name: string) => SCOPES.some((scope) => scope === name);
  const scopes = account.scopes?.some(isScope) === true ? account.scopes : undefined;
  const form = accountForm(me.json);
  if (form !== undefined) probe.wireShape.account = form;
  if (scopes !== undefined) probe.known.scopes = scopes;
  const isNamed = workspace !== undefined;
  if (!isNamed) probe.repeat(me);
  probe.answer('account.body', {
    verdict: isNamed ? 'works' : 'differs',
    value: isNamed ? (form ?? 'another form') : 'no workspace',
    explanation: isNamed
      ? undefined
      : 'The connector recognizes no workspace in it, so connections get a general name. Nothing else depends on it.',
    from: [me],
  });
  if (scopes === undefined) {
    probe.answer('account.scopes', {
      verdict: 'works',
      value: 'not named',
      explanation: 'The connector learns of a missing scope from the error of the request that needs it.',
      from: [me],
    });
    return;
  }
  const missing = missingScopes(scopes).map(({ scope }) => scope);
  probe.answer('account.scopes', {
    verdict: 'works',
    value: missing.length === 0 ? 'all that the connector needs' : `without ${missing.join(', ')}`,
    explanation:
      missing.length === 0
        ? undefined
        : 'Steps that need a missing scope fail with an error that names it. The probe checks them with a key that has it.',
    from: [me],
  });
}

function accountForm(json: unknown): 'nested' | 'flat' | 'wrapped' | undefined {
  if (!isObject(json)) return undefined;
  if (isObject(json['workspace'])) return 'nested';
  if (typeof json['workspaceId'] === 'string') return 'flat';
  const { data } = json;
  return isObject(data) && isObject(data['workspace']) ? 'wrapped' : undefined;
}
