import { isApiError, QrServiceClient, SCOPES } from '@qr-service/core';
import { isOwnError, missingScopes, SERVICE_HEADERS } from '@qr-service/core/connector';
import { differs, fails, works, type Outcome } from '../findings/Finding.ts';
import { explain, failed, type Probe } from './Probe.ts';

/** Reaches the service with the user's key. */
export async function checkConnection(probe: Probe): Promise<Outcome> {
  try {
    const { scopes = [] } = await probe.client.me();
    // Names of another kind say nothing about what the key may do.
    if (!scopes.some((scope) => SCOPES.some((known) => known === scope))) return works('accepted');
    const missing = missingScopes(scopes).map(({ scope }) => scope);
    return works(
      missing.length === 0 ? 'accepted, with all scopes' : `accepted, without ${missing.join(', ')}`,
    );
  } catch (error) {
    const explanation = explain(error);
    if (!isApiError(error) || !isOwnError(error, 401, 403)) return fails('no access', explanation);
    const advice = error.status === 401 ? await tryOtherHeader(probe) : undefined;
    return fails(`refused with ${error.status}`, advice ?? explanation);
  }
}

/** Which header to use instead, if the service accepts the key there. */
async function tryOtherHeader({ connection, recorder }: Probe): Promise<string | undefined> {
  const other = connection.authHeader === 'authorization' ? 'api-key' : 'authorization';
  const { transport } = recorder;
  const client = new QrServiceClient({ ...connection, authHeader: other, transport, retry: false });
  const me = await client.me().catch(() => undefined);
  if (me === undefined) return undefined;
  const name = other === 'authorization' ? 'Authorization' : SERVICE_HEADERS.apiKey;
  const where =
    other === 'api-key'
      ? "Choose this header in n8n's credential and for the MCP server. The Zapier app can't use it."
      : 'The connectors use this header by default.';
  return `The key is accepted only in ${name}. ${where} Run the probe again with --auth-header ${other}.`;
}

/** Requests a code that doesn't exist: the connectors create one only if the service itself says that there is none. */
export async function checkErrors(probe: Probe): Promise<Outcome> {
  try {
    await probe.client.qr.get(unusedId(probe));
  } catch (error) {
    const outcome = failed(error);
    if (!isApiError(error) || outcome.verdict === 'unknown') return outcome;
    const { status, code } = error;
    const value = code === `http_${status}` ? `status ${status} without a code` : `${status} ${code}`;
    if (isOwnError(error, 404, 410)) return works(value);
    return fails(
      value,
      `The documented response for a code that doesn't exist is 404 not_found. The connectors accept nothing else as proof that a code is missing, so "Create or Update" can't create it. ${outcome.explanation ?? ''}`,
    );
  }
  return fails('a code was returned', "This ID was made up: the connectors can't tell which codes exist.");
}

/** An ID of the same form as the service's own that no code has. */
function unusedId({ known: { codes = [], own } }: Probe): string {
  const { id = '' } = own ?? codes[0] ?? {};
  // The start may be a prefix or a version.
  const half = Math.ceil(id.length / 2);
  const other = id.slice(0, half) + id.slice(half).replaceAll(/\d/g, (digit) => String(9 - Number(digit)));
  return other === id || codes.some((code) => code.id === other) ? `${id}qr-service-probe` : other;
}

/** Looks at what the responses said about the rate limit. */
export function checkLimits({ client: { rateLimit } }: Probe): Promise<Outcome> {
  return Promise.resolve(
    rateLimit === undefined
      ? differs(
          'not stated',
          "Responses have no readable X-RateLimit headers, so the connectors can't slow down in advance: they back off after a 429.",
        )
      : works(`${rateLimit.remaining} of ${rateLimit.limit} requests left`),
  );
}
