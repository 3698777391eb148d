import { readHeader } from '@qr-service/core/connector';
import type { WireShape } from '@qr-service/core/shape';
import { rateLimitOf } from '../http/Connection.ts';
import type { Exchange } from '../http/Exchange.ts';
import type { Probe } from './Probe.ts';

type Unit = NonNullable<WireShape['reset']>;

const NAMES = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** Looks at the rate-limit headers of all responses. */
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
      verdict: values.length === 0 ? 'differs' : 'fails',
      value: [...units].map((name) => name ?? 'unknown unit').join(', ') || 'missing',
      explanation:
        "The connector can't tell when a window ends, so it waits only after a request was refused.",
      from: exchanges.slice(0, 2),
    });
    return;
  }
  probe.wireShape.reset = unit;
  probe.answer('limits.reset', { verdict: 'works', value: unit, from: exchanges.slice(0, 1) });
}

function checkHeaders(probe: Probe, exchanges: readonly Exchange[]): void {
  const missing = NAMES.map((name) => ({
    name,
    exchanges: exchanges.filter(({ headers }) => readHeader(headers, name) === undefined),
  })).filter((found) => found.exchanges.length > 0);
  const all = exchanges.length;
  probe.lacks(...missing.filter((found) => found.exchanges.length === all).map(({ name }) => name));
  probe.answer('limits.headers', {
    verdict: missing.length === 0 ? 'works' : 'differs',
    value:
      missing.length === 0
        ? 'headers on every response'
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
