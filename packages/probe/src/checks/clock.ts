import { readHeader, readTime } from '@qr-service/core/connector';
import { isInBounds } from '@qr-service/core/shape';
import type { Exchange } from '../http/Exchange.ts';
import type { Probe } from './Probe.ts';

/** How much the service's clock is ahead of the local one, at least and at most, in milliseconds. */
interface ClockOffset {
  min: number;
  max: number;
}

/** Signatures are valid for this long. */
const TOLERANCE_MS = 300_000;

/** Compares the `Date` of all responses with the local clock; undefined without a `Date`. `Date` has whole seconds. */
function clockOffset(exchanges: readonly Exchange[]): ClockOffset | undefined {
  const ranges = exchanges.flatMap(({ headers, sentAt, receivedAt }) => {
    const date = readTime(readHeader(headers, 'Date'));
    // A cache may have stored the response.
    if (date === undefined || readHeader(headers, 'Age') !== undefined) return [];
    return [{ min: date - receivedAt, max: date + 1000 - sentAt }];
  });
  if (ranges.length === 0) return undefined;
  return {
    min: Math.max(...ranges.map(({ min }) => min)),
    max: Math.min(...ranges.map(({ max }) => max)),
  };
}

/** Compares the clocks. */
export function checkClock(probe: Probe): void {
  const { exchanges } = probe.connection;
  const offset = clockOffset(exchanges);
  const from = exchanges.slice(0, 1);
  if (offset === undefined) {
    probe.lacks('Date');
    probe.answer('clock.date', {
      verdict: 'differs',
      value: 'no Date header',
      explanation:
        'The connector takes the time of a page from Date. Without it, polling goes by the times of the codes alone, and reads more rows again.',
      from,
    });
    return;
  }
  const { min, max } = offset;
  if (min > max) {
    probe.answer('clock.date', {
      verdict: 'unknown',
      value: `varies by ${seconds(min - max)}`,
      explanation:
        'Responses disagree about the time: the service may have several servers, or a clock was set.',
      from,
    });
    return;
  }
  const isRight = min <= 0 && max >= 0;
  const skew = isRight ? 0 : nearestSecond(min, max);
  if (Math.abs(skew) >= 1000 && isInBounds('clockSkewMs', skew)) probe.shape.clockSkewMs = skew;
  const isTooFar = Math.abs(skew) > TOLERANCE_MS;
  probe.answer('clock.date', {
    verdict: isTooFar ? 'fails' : 'works',
    value: Math.abs(skew) < 1000 ? 'right' : `${seconds(Math.abs(skew))} ${skew > 0 ? 'ahead' : 'behind'}`,
    explanation: isTooFar
      ? "Signed deliveries would be refused as expired, unless it is this computer's clock that is wrong. Check both."
      : Math.abs(skew) < 5000
        ? undefined
        : "Either the service's clock or this computer's is wrong. Polling uses the service's clock.",
    from,
  });
}

function nearestSecond(min: number, max: number): number {
  const middle = Math.round((min + max) / 2);
  const whole = Math.round(middle / 1000) * 1000;
  return whole >= min && whole <= max ? whole : middle;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
