import { readHeader } from '@qr-service/core/connector';
import type { WireShape } from '@qr-service/core/shape';
import { rateLimitOf } from '../http/Connection.ts';
import type { Exchange } from '../http/Exchange.ts';
import { clockOffset } from './clock.ts';
import type { Probe } from './Probe.ts';

type Unit = NonNullable<WireShape['reset']>;

const NAMES = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;
/** Lengths that windows usually have, in seconds. */
const USUAL = [
  1, 2, 3, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 90, 120, 180, 240, 300, 600, 900, 1200, 1800, 3600,
  7200, 21_600, 43_200, 86_400,
];
/** How long the probe waits for the next window. */
const MAX_WAIT_MS = 64_000;
const POLL_MS = 400;
const MAX_POLLS = 6;

/** One response's rate limit. Times in milliseconds, by the service's clock. */
interface Sample {
  limit: number;
  remaining: number;
  /** When the window ends, at least and at most. */
  end: Range;
  /** When the service counted the request, at least and at most. */
  at: Range;
  exchange: Exchange;
}

interface Range {
  min: number;
  max: number;
}

/** Looks at the rate-limit headers of all responses, and at the start of a window if one is near. */
export async function checkLimits(probe: Probe): Promise<void> {
  const { exchanges } = probe.connection;
  checkHeaders(probe, exchanges);
  const values = exchanges
    .map(({ headers }) => readHeader(headers, 'X-RateLimit-Reset'))
    .filter((value) => value !== undefined);
  const units = new Set(values.map(unitOf));
  const [unit, other] = units;
  if (unit === undefined || other !== undefined || !(await isReadable(probe, exchanges))) {
    probe.answer('limits.reset', {
      verdict: unit === undefined ? 'differs' : 'fails',
      value: unit === undefined ? 'missing' : [...units].map((name) => name ?? 'unknown unit').join(', '),
      explanation:
        "The connector can't tell when a window ends, so it waits only after a request was refused.",
      from: exchanges.slice(0, 2),
    });
    return;
  }
  probe.wireShape.reset = unit;
  probe.answer('limits.reset', { verdict: 'works', value: unit, from: exchanges.slice(0, 1) });
  await checkRate(probe, unit);
}

function checkHeaders(probe: Probe, exchanges: readonly Exchange[]): void {
  const missing = NAMES.map((name) => ({
    name,
    exchanges: exchanges.filter(({ headers }) => readHeader(headers, name) === undefined),
  })).filter((found) => found.exchanges.length > 0);
  const all = exchanges.length;
  probe.answer('limits.headers', {
    verdict: missing.length === 0 ? 'works' : 'differs',
    value:
      missing.length === 0
        ? 'on every response'
        : missing.map((found) => `${found.name} missing on ${found.exchanges.length} of ${all}`).join(', '),
    explanation:
      missing.length === 0
        ? undefined
        : "Without them, the connector can't slow down in time: it waits after a request was refused with 429.",
    from: missing.flatMap((found) => found.exchanges.slice(0, 1)),
  });
}

function unitOf(value: string): Unit | undefined {
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number >= 1e11) return 'epoch milliseconds';
    return number >= 1e9 ? 'epoch seconds' : 'seconds';
  }
  return Number.isNaN(Date.parse(text)) ? undefined : 'HTTP date';
}

/** Whether the connector reads the headers of all responses that have them. */
async function isReadable(probe: Probe, exchanges: readonly Exchange[]): Promise<boolean> {
  for (const exchange of exchanges) {
    const isWhole = NAMES.every((name) => readHeader(exchange.headers, name) !== undefined);
    if (isWhole && (await rateLimitOf(exchange, probe.now)) === undefined) return false;
  }
  return true;
}

async function checkRate(probe: Probe, unit: Unit): Promise<void> {
  const { exchanges } = probe.connection;
  const toSamples = () =>
    exchanges.flatMap((exchange) => toSample(exchange, unit, clockOffset(exchanges)) ?? []);
  const samples = toSamples();
  const limits = [...new Set(samples.map(({ limit }) => limit))];
  const [limit] = limits;
  const last = samples.at(-1);
  if (limit === undefined || last === undefined) {
    probe.answer('limits.rate', { verdict: 'unknown', explanation: "The headers don't say it." });
    return;
  }
  if (limits.length > 1) {
    probe.answer('limits.rate', {
      verdict: 'works',
      value: `${Math.min(...limits)} to ${Math.max(...limits)} requests`,
      explanation: 'The limit depends on the request. The connector slows down by what each response says.',
      from: [samples[0]?.exchange, last.exchange],
    });
    return;
  }
  const unknown = (value: string, explanation: string) => {
    probe.answer('limits.rate', {
      verdict: 'unknown',
      value,
      explanation: `${explanation} The connector goes by the headers of each response.`,
      from: [last.exchange],
    });
  };
  const moving = () => {
    unknown(
      `${limit} requests`,
      "The end of the window moves with each request, so its length can't be told from the headers.",
    );
  };
  if (isMoving(samples)) {
    moving();
    return;
  }
  const waitMs = last.end.max - last.at.min;
  if (waitMs > MAX_WAIT_MS) {
    unknown(
      `${limit} requests in at least ${Math.floor((last.end.min - last.at.max) / 1000)} s`,
      'The window is longer than the probe waits.',
    );
    return;
  }
  const length = await nextWindow(probe, last, toSamples);
  if (length === 'moving') {
    moving();
    return;
  }
  const usual =
    length === undefined
      ? []
      : USUAL.filter((seconds) => seconds * 1000 >= length.min && seconds * 1000 <= length.max);
  const [windowSeconds, otherLength] = usual;
  if (length === undefined || windowSeconds === undefined || otherLength !== undefined) {
    const about =
      length === undefined ? '' : ` in about ${Math.max(1, Math.round((length.min + length.max) / 2000))} s`;
    unknown(
      `${limit} requests${about}`,
      "The length of the window can't be told from the headers, or others use the same key at the same time.",
    );
    return;
  }
  probe.shape.rateLimit = { limit, windowSeconds };
  probe.answer('limits.rate', {
    verdict: 'works',
    value: `${limit} requests in ${windowSeconds} s`,
    from: exchanges.slice(-1),
  });
}

/**
 * Waits for the next window, and measures it. Undefined if it can't be told. `moving`: the end of the window moves before
 * the window ends.
 */
async function nextWindow(
  probe: Probe,
  last: Sample,
  toSamples: () => Sample[],
): Promise<Range | 'moving' | undefined> {
  const waitMs = Math.max(0, last.end.max - last.at.min);
  await probe.connection.sleep(waitMs / 2);
  await probe.get('/me');
  if (isMoving(toSamples())) return 'moving';
  await probe.connection.sleep(waitMs / 2);
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    await probe.get('/me');
    const samples = toSamples();
    const newest = samples.at(-1);
    if (newest === undefined || newest.exchange === last.exchange) return undefined;
    if (newest.end.min > last.end.max) {
      // The window started between the end of the last one and this request.
      const start = { min: Math.max(last.at.min, last.end.min), max: newest.at.max };
      const isFresh = newest.remaining >= newest.limit - 1;
      // Windows that start with a request have just started.
      const length = { min: newest.end.min - start.max, max: newest.end.max - start.min };
      const others = newest.limit - newest.remaining;
      return isFresh || others < newest.limit * 0.5 ? length : undefined;
    }
    await probe.connection.sleep(POLL_MS);
  }
  return undefined;
}

/** Whether the end of the window moves although none has ended. */
function isMoving(samples: readonly Sample[]): boolean {
  return samples.slice(1).some((sample, index) => {
    const before = samples[index] as Sample;
    return sample.end.min > before.end.max && sample.at.max < before.end.min - 1000;
  });
}

function toSample(exchange: Exchange, unit: Unit, offset: Range | undefined): Sample | undefined {
  // Requests with an unknown key are counted elsewhere.
  if (exchange.request.otherKey !== undefined || exchange.status === 401) return undefined;
  const [limit, remaining, reset] = NAMES.map((name) => readHeader(exchange.headers, name)?.trim() ?? '');
  if (
    !/^\d{1,15}$/.test(limit ?? '') ||
    !/^\d{1,15}$/.test(remaining ?? '') ||
    reset === undefined ||
    reset === ''
  )
    return undefined;
  const known = offset !== undefined && offset.min <= offset.max ? offset : { min: 0, max: 0 };
  const at = { min: exchange.sentAt + known.min, max: exchange.receivedAt + known.max };
  return { limit: Number(limit), remaining: Number(remaining), end: endOf(reset, unit, at), at, exchange };
}

/** The end of a window. A value in whole seconds may be rounded up or down. */
function endOf(reset: string, unit: Unit, at: Range): Range {
  const roundMs = 1000;
  if (unit === 'seconds') {
    const ms = Number(reset) * 1000;
    return { min: at.min + ms - roundMs, max: at.max + ms + roundMs };
  }
  const end =
    unit === 'HTTP date'
      ? Date.parse(reset)
      : unit === 'epoch seconds'
        ? Number(reset) * 1000
        : Number(reset);
  return unit === 'epoch milliseconds' ? { min: end, max: end } : { min: end - roundMs, max: end + roundMs };
}
