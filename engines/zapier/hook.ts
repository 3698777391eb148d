import type { IncomingHttpHeaders } from 'node:http';
import type { Row, RunMethod } from './run.ts';

/** A request to a hook as Zapier stores it. For the headers, see `toZapierHeaders`. */
export interface HookRequest {
  headers: Record<string, string>;
  /** Body text, unmodified. */
  rawBody: string;
}

/** An active Zap with an instant trigger. */
export type ZapierHook = Awaited<ReturnType<typeof subscribeTrigger>>;

/** Turns on a Zap with the trigger `key`, whose deliveries go to `targetUrl`. `inputData` contains the values of its fields. */
export async function subscribeTrigger(run: RunMethod, key: string, targetUrl: string, inputData: Row = {}) {
  const operation = `triggers.${key}.operation`;
  const subscribeData = (await run(`${operation}.performSubscribe`, { targetUrl, inputData })) as Row;
  return {
    /** The subscription as Zapier stores it. */
    subscribeData,
    /** Receives a delivery and returns the rows that would start the Zap. */
    async receive({ headers, rawBody }: HookRequest): Promise<Row[]> {
      const request = { method: 'POST', querystring: '', headers };
      const rawRequest = { ...request, content: rawBody };
      const cleanedRequest = { ...request, querystring: {}, content: parse(rawBody) };
      const bundle = { subscribeData, inputData, rawRequest, cleanedRequest };
      return (await run(`${operation}.perform`, bundle)) as Row[];
    },
    /** Turns the Zap off. */
    async unsubscribe() {
      await run(`${operation}.performUnsubscribe`, { subscribeData, targetUrl, inputData });
    },
  };
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return {};
  }
}

const WITHOUT_PREFIX = ['content-type', 'content-length'];

/**
 * Converts headers to the form in which Zapier passes them to a hook: `Http-` and the name in Train-Case. Content-Type
 * and Content-Length get no prefix.
 */
export function toZapierHeaders(
  headers: IncomingHttpHeaders | Record<string, string>,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const trainCase = name.toLowerCase().replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
    const prefix = WITHOUT_PREFIX.includes(name.toLowerCase()) ? '' : 'Http-';
    if (value !== undefined) found[prefix + trainCase] = Array.isArray(value) ? value.join(', ') : value;
  }
  return found;
}
