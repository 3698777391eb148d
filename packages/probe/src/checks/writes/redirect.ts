import { isSameUrl } from '@qr-service/core/connector';
import type { FindingId } from '../../findings/catalog.ts';
import { MAX_CHANGE_MS, TARGETS, waitUntil } from '../changes.ts';
import type { Probe } from '../Probe.ts';

const MAX_HOPS = 4;

/** Where a short link was seen to lead: one of the probe's targets, or what came instead. */
type Destination = { target: string } | { value: string; isBroken: boolean; target?: undefined };

/** Opens a short link until it leads to its target, and answers a question with that. */
export async function checkLink(
  probe: Probe,
  id: Extract<FindingId, 'codes.redirect' | 'codes.retargeted'>,
  publicUrl: unknown,
  target: string,
): Promise<Destination> {
  const isDone = (seen?: Destination) => seen === undefined || seen.target === target;
  const seen = await waitUntil(probe, () => follow(probe, publicUrl), isDone);
  const found = seen ?? { value: 'no response', isBroken: false };
  if (found.target === target) probe.answer(id, { verdict: 'works', value: 'leads to the target' });
  else if (found.target !== undefined)
    probe.answer(id, {
      verdict: 'fails',
      value: 'leads to the former target',
      explanation: `The short link still leads to the former target ${MAX_CHANGE_MS / 1000} s after the update.`,
    });
  else
    probe.answer(id, {
      verdict: found.isBroken ? 'fails' : 'unknown',
      value: found.value,
      explanation: found.isBroken
        ? "The short link of a published code doesn't work, so neither do scans of it."
        : "The short link of a published code wasn't seen to lead to its target. It may take longer, show a page first, or not be reachable from this machine. Open one yourself.",
    });
  return found;
}

/** Opens a short link like a phone that scans it. The key isn't sent. Undefined without a response. */
async function follow(probe: Probe, publicUrl: unknown): Promise<Destination | undefined> {
  if (typeof publicUrl !== 'string' || !/^https?:\/\//.test(publicUrl) || !URL.canParse(publicUrl))
    return { value: 'publicUrl is not a web address', isBroken: true };
  let url = publicUrl;
  let status = 0;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const visit = await probe.connection.visit(url);
    if (visit === undefined) return undefined;
    status = visit.status;
    const { location } = visit;
    if (location === undefined || !URL.canParse(location, url)) break;
    url = new URL(location, url).href;
    const target = TARGETS.find((known) => isSameUrl(known, url));
    if (target !== undefined) return { target };
    if (!/^https?:/.test(url)) break;
  }
  return { value: `status ${status}`, isBroken: status >= 400 && ![401, 403, 429].includes(status) };
}
