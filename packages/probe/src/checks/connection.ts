import { isApiError, isTransportError, type AuthHeader } from '@qr-service/core';
import { describeConnectionError, errorText, headerNames } from '@qr-service/core/connector';
import { isSuccess, type Exchange } from '../http/Exchange.ts';
import { redactor } from '../http/redact.ts';
import { CheckEnded, NoResponse, type Probe } from './Probe.ts';

/** Nothing else can be checked. */
export class NoAccess extends CheckEnded {}

const WORDS = { credential: 'options', rerun: 'run the probe again' };

/** What a service means for users that accepts the key in one header only. */
const ONLY: Record<AuthHeader, string> = {
  authorization:
    'The connectors use it, unless they are set to the other. Services put their own name after "X-": check it with --header-prefix.',
  'api-key': "Choose this header in n8n's credential and for the MCP server. The Zapier app can't use it.",
};

/**
 * Reaches the service and its `GET /me` with the user's key.
 * @throws NoAccess if nothing else can be checked
 */
export async function checkConnection(probe: Probe): Promise<Exchange> {
  const me = await reach(probe);
  const usual = probe.connection.authHeader;
  const other: AuthHeader = usual === 'authorization' ? 'api-key' : 'authorization';
  const names = {
    authorization: 'Authorization',
    'api-key': headerNames(probe.connection.headerPrefix).apiKey,
  };
  const otherMe = await probe
    .send({ method: 'GET', path: '/me', auth: other })
    .catch((error: unknown): undefined => {
      if (!(error instanceof NoResponse)) throw error;
    });
  if (me.status === 401 || me.status === 403) {
    const { error } = await probe.read([me], (client) => client.me());
    const isPage = isApiError(error) && error.intermediary !== undefined;
    const id = isPage ? 'connection.reach' : 'connection.key';
    const isOther = me.status === 401 && otherMe !== undefined && otherMe.status !== 401;
    if (!isPage) probe.answer('connection.reach', { verdict: 'works', from: [me] });
    probe.answer(id, {
      verdict: 'fails',
      value: isOther ? `accepted only in ${names[other]}` : `refused with ${me.status}`,
      explanation: isOther
        ? `The key was refused in ${names[usual]}. ${ONLY[other]} Run the probe again with --auth-header ${other}.`
        : probe.explain(error),
      from: [me],
    });
    throw new NoAccess('The key was refused.');
  }
  probe.answer('connection.reach', { verdict: 'works', from: [me] });
  probe.answer('connection.key', { verdict: 'works', value: 'accepted', from: [me] });
  const isBoth = otherMe?.status === me.status;
  if (!isBoth) probe.shape.keyHeader = usual;
  probe.answer('connection.headers', {
    verdict: isBoth ? 'works' : usual === 'authorization' ? 'differs' : 'fails',
    value: isBoth ? `${names.authorization} and ${names['api-key']}` : `only ${names[usual]}`,
    explanation: isBoth
      ? undefined
      : `A request with the key in ${names[other]} returned ${otherMe?.status ?? 'nothing'}. ${ONLY[usual]}`,
    from: [otherMe],
  });
  return me;
}

/** A response of the service, or why there is none. */
async function reach(probe: Probe): Promise<Exchange> {
  const me = await probe.get('/me');
  if (isSuccess(me) || me.status === 401 || me.status === 403) {
    const { error } = await probe.read([me], (client) => client.me());
    // A page with status 200 is from something else.
    if (isSuccess(me) && isTransportError(error)) notTheService(probe, me, error);
    return me;
  }
  // A service without /me can still have everything else.
  const list = me.status === 404 ? await probe.get('/qr', { limit: 1 }) : undefined;
  if (list !== undefined && list.json !== undefined && (isSuccess(list) || list.status === 403)) return me;
  const { error } = await probe.read([me], (client) => client.me());
  return notTheService(probe, me, error);
}

function notTheService(probe: Probe, me: Exchange, error: unknown): never {
  const isEncrypted = me.status === 400 && /plain HTTP|HTTP request to an HTTPS/i.test(me.text);
  const explanation = isEncrypted
    ? `The server at ${probe.connection.host} speaks https, not http: start the address with https://.`
    : redactor(probe.connection.secrets)(errorText(describeConnectionError(error, WORDS)));
  probe.answer('connection.reach', {
    verdict: 'fails',
    value: `status ${me.status}`,
    explanation,
    from: [me],
  });
  throw new NoAccess('The service could not be reached.');
}
