const PRIVATE_V4 = [
  /^0\./,
  /^10\./,
  /^127\./,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^169\.254\./,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^192\.168\./,
  /^192\.0\.0\./,
  /^198\.1[89]\./,
  /^(22[4-9]|2[3-5]\d)\./,
];
const LOCAL_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa|test|invalid)$/;

/**
 * Why the service would refuse a webhook address, as a sentence, or undefined where it would take it: it
 * must be HTTPS on a public host (API text, "Endpoints", 4).
 */
export function checkWebhookUrl(url: string): string | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return 'It is no URL.';
  }
  if (parsed.protocol !== 'https:') return 'It does not begin with https://.';
  const host = parsed.hostname.toLowerCase().replace(/\.$/, '');
  if (isPrivateAddress(host)) return 'Its host is a local or private address.';
  const isName = !host.startsWith('[') && !/^[\d.]+$/.test(host);
  if (isName && (!host.includes('.') || LOCAL_NAME.test(host)))
    return 'Its host is known only on your own network.';
  return undefined;
}

/** Whether an IP address, an IPv6 one with or without brackets, is local, private or reserved. Names are not looked up. */
export function isPrivateAddress(address: string): boolean {
  const host = address.replace(/^\[|\]$/g, '').toLowerCase();
  if (/^\d+(\.\d+){3}$/.test(host)) return PRIVATE_V4.some((range) => range.test(host));
  if (!host.includes(':')) return false;
  const mapped = v4Inside(host);
  if (mapped !== undefined) return isPrivateAddress(mapped);
  return /^(::1?$|f[cd]|fe[89ab]|ff)/.test(host);
}

/** The IPv4 address inside an IPv4-mapped IPv6 one, which a URL parser writes as two hex groups. */
function v4Inside(host: string): string | undefined {
  const dotted = /^::ffff:(\d+(?:\.\d+){3})$/.exec(host)?.[1];
  if (dotted !== undefined) return dotted;
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host);
  if (groups === null) return undefined;
  const [high, low] = [parseInt(groups[1] ?? '0', 16), parseInt(groups[2] ?? '0', 16)];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
