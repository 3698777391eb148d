import type { Operation } from './scopes.ts';

/** Method and path of each client call, relative to the API's base URL (API text, "Endpoints"). */
const ENDPOINTS: Record<Operation, readonly [method: string, path: RegExp]> = {
  me: ['GET', /^\/me$/],
  'qr.create': ['POST', /^\/qr$/],
  'qr.list': ['GET', /^\/qr$/],
  'qr.get': ['GET', /^\/qr\/[^/]+$/],
  'qr.publish': ['POST', /^\/qr\/[^/]+\/publish$/],
  'qr.render': ['GET', /^\/qr\/[^/]+\/image$/],
  'qr.retarget': ['POST', /^\/qr\/[^/]+\/destination$/],
  'webhooks.subscribe': ['POST', /^\/webhooks$/],
  'webhooks.unsubscribe': ['DELETE', /^\/webhooks\/[^/]+$/],
  'scans.list': ['GET', /^\/scans$/],
};

/** The client call that a request belongs to; undefined for any other request. */
export function operationOf({ method, path }: { method: string; path: string }): Operation | undefined {
  const operations = Object.keys(ENDPOINTS) as Operation[];
  return operations.find((name) => ENDPOINTS[name][0] === method && ENDPOINTS[name][1].test(path));
}

/** The QR code ID in a request's path, if there is one. */
export function qrCodeIdOf(path: string): string | undefined {
  const id = /^\/qr\/([^/]+)/.exec(path)?.[1];
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return id;
  }
}
