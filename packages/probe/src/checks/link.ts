import { fails, unknown, works, type Outcome } from '../findings/Finding.ts';
import { MAX_CHANGE_MS, ownCode, TARGETS, waitUntil, type Probe } from './Probe.ts';

const MAX_HOPS = 4;
/** A sign-in or a limit in front of the link says nothing about the link. */
const NOT_BROKEN = [401, 403, 429];

/** What is said if only the short link is still as before the update. */
export const OLD_LINK =
  'The short link still leads to the old destination, but the redirect may be cached. Open it in a few minutes.';

/** Where a short link leads: to one of the probe's targets, or what was found instead. */
interface Destination {
  target?: string;
  value: string;
  isBroken?: boolean;
}

/** Opens the short link of the published code until it leads to the target. */
export async function checkLink(probe: Probe): Promise<Outcome> {
  probe.known.visitedAt = probe.now();
  const outcome = await watch(probe, TARGETS[0]);
  probe.known.linkWorks = outcome.verdict === 'works';
  return outcome;
}

/** Opens it after the update of the destination. */
export async function checkNewLink(probe: Probe): Promise<Outcome> {
  if (probe.known.linkWorks !== true)
    return unknown("The short link wasn't confirmed to work before the update.");
  return watch(probe, TARGETS[1]);
}

async function watch(probe: Probe, target: string): Promise<Outcome> {
  const startedAt = probe.now();
  const look = () => follow(probe, ownCode(probe).publicUrl);
  const seen = await waitUntil(probe, look, (found) => found.target === target);
  const seconds = (probe.now() - startedAt) / 1000;
  if (seen.target === target) return works(seconds < 1 ? 'at once' : `after ${seconds.toFixed(1)} s`);
  if (seen.target !== undefined) return unknown(OLD_LINK, 'old destination');
  if (seen.isBroken === true)
    return fails(seen.value, `The short link still doesn't work ${MAX_CHANGE_MS / 1000} s after publishing.`);
  return unknown(
    "The short link couldn't be confirmed to lead to its destination. It may show a page first, or be unreachable from this machine. Open it yourself.",
    seen.value,
  );
}

/** Opens a short link like a phone that scans it. */
export async function follow({ recorder }: Probe, publicUrl: unknown): Promise<Destination> {
  if (typeof publicUrl !== 'string' || !/^https?:\/\//.test(publicUrl) || !URL.canParse(publicUrl))
    return { value: "publicUrl isn't a valid URL", isBroken: true };
  let url = publicUrl;
  let status = 0;
  for (let hop = 0; hop < MAX_HOPS && /^https?:/.test(url); hop++) {
    const visit = await recorder.visit(url);
    if (visit === undefined) return { value: 'no response' };
    status = visit.status;
    const { location } = visit;
    if (location === undefined || !URL.canParse(location, url)) break;
    url = new URL(location, url).href;
    const target = TARGETS.find((known) => known === url);
    if (target !== undefined) return { target, value: 'leads to a target' };
  }
  return { value: `status ${status}`, isBroken: status >= 400 && !NOT_BROKEN.includes(status) };
}
