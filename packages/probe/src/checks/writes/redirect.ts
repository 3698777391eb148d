import type { QrCode } from '@qr-service/core';
import { TARGETS } from '../changes.ts';
import type { Probe } from '../Probe.ts';

/** Opens the short link of a published code, like a phone that scans it. The key isn't sent. */
export async function checkRedirect(probe: Probe, { publicUrl }: QrCode): Promise<void> {
  if (probe.answerTo('codes.publish')?.verdict !== 'works') {
    probe.answer('codes.redirect', { verdict: 'unknown', explanation: 'The code was not published.' });
    return;
  }
  if (typeof publicUrl !== 'string' || !/^https?:\/\//.test(publicUrl) || !URL.canParse(publicUrl)) {
    probe.answer('codes.redirect', {
      verdict: 'differs',
      value: 'publicUrl is not a web address',
      explanation: "Codes can't be found by their short link, and steps that map it get something else.",
    });
    return;
  }
  const visit = await probe.connection.visit(publicUrl);
  const isRight = visit?.location !== undefined && sameUrl(visit.location, TARGETS[0]);
  probe.answer('codes.redirect', {
    verdict: isRight ? 'works' : 'unknown',
    value: visit === undefined ? 'no response' : `status ${visit.status}`,
    explanation: isRight
      ? undefined
      : "The short link of a published code didn't redirect to its target at once. It may take longer, or show a page first.",
  });
}

function sameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).href === new URL(other).href;
}
