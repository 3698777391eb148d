const LOCAL_NAME = /(^|\.)(localhost|local|internal|lan)$/;
const PRIVATE_V4 = /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)\.[\d.]+$/;
const PRIVATE_V6 = /^(?:::1?$|::ffff:|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/i;

/** Says why a URL isn't HTTPS on a public host (docs/api.md#webhook-subscriptions), in one sentence; undefined if it is. */
export function checkWebhookUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return "It isn't a valid URL.";
  const { protocol, host } = new URL(url);
  const hostname = host.replace(/:\d+$/, '').replace(/\.$/, '');
  if (protocol !== 'https:') return "It doesn't begin with https://.";
  if (isPrivateAddress(hostname.replaceAll(/[[\]]/g, ''))) return 'Its host is a local or private address.';
  const isPublic = /[.:]/.test(hostname) && !LOCAL_NAME.test(hostname);
  return isPublic ? undefined : 'Its host is known only on your own network.';
}

/** Whether an IP address is local or private. False for host names: look them up first. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE_V4.test(address) || PRIVATE_V6.test(address);
}
