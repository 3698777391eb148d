import { isIP } from 'node:net';

/** Where a delivery is sent instead of its URL's host. */
export interface Endpoint {
  host: string;
  port: number;
}

/** Returns the endpoint for a URL, or undefined if it goes to its own host. */
export type ConnectTo = (url: URL) => Endpoint | undefined;

/**
 * Reads the rules of `connectTo`: a host, or `host:port`, and the `address:port` that replaces it.
 * @throws TypeError naming the invalid rule
 */
export function readConnectTo(rules: Readonly<Record<string, string>>): ConnectTo {
  const endpoints = new Map(
    Object.entries(rules).map(([host, to]) => [host.toLowerCase(), endpoint(host, to)]),
  );
  return (url) => endpoints.get(url.host) ?? endpoints.get(url.hostname);
}

function endpoint(host: string, to: string): Endpoint {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(to);
  const address = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  const good = address !== undefined && (match?.[1] === undefined || isIP(address) === 6);
  if (host === '' || !good || port < 1 || port > 65535)
    throw new TypeError(`The connect-to rule ${host}=${to} isn't in the form host=address:port.`);
  return { host: address, port };
}
