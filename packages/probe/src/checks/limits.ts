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
  const units = new Set(
    exchanges.flatMap(({ headers }) => {
      const value = readHeader(headers, 'X-RateLimit-Reset');
      return value === undefined ? [] : [unitOf(value)];
    }),
  );
  const [unit, other] = units;
  const isReadable = other === undefined && (await isRead(probe, exchanges));
  if (unit !== undefined && isReadable) probe.wireShape.reset = unit;
  const missing = NAMES.map((name) => ({
    name,
    exchanges: exchanges.filter(({ headers }) => readHeader(headers, name) === undefined),
  })).filter((found) => found.exchanges.length > 0);
  const all = exchanges.length;
  probe.lacks(...missing.filter((found) => found.exchanges.length === all).map(({ name }) => name));
  const works = missing.length === 0 && isReadable;
  probe.answer('limits.headers', {
    verdict: works ? 'works' : 'differs',
    value: works
      ? `headers on every response, reset in ${unit ?? 'an unknown unit'}`
      : missing.length === 0
        ? "the connector can't read them"
        : missing.map((found) => `${found.name} missing on ${found.exchanges.length} of ${all}`).join(', '),
    explanation: works
      ? undefined
      : "Without them, the connector can't slow down in time: it waits after a request was refused with 429.",
    from: works ? exchanges.slice(0, 1) : missing.flatMap((found) => found.exchanges.slice(0, 1)),
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
async function isRead(probe: Probe, exchanges: readonly Exchange[]): Promise<boolean> {
  for (const exchange of exchanges) {
    const isWhole = NAMES.every((name) => readHeader(exchange.headers, name) !== undefined);
    if (isWhole && (await rateLimitOf(exchange, probe.now)) === undefined) return false;
  }
  return true;
}
