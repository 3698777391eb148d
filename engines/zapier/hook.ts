import type { Row, RunMethod } from './run.ts';

/** A request to a hook as Zapier keeps it: headers in Zapier's form, see `toZapierHeaders`. */
export interface HookRequest {
  headers: Record<string, string>;
  /** The body's text, byte for byte. */
  rawBody: string;
}

/** A Zap with an instant trigger that is turned on. */
export interface ZapierHook {
  /** What Zapier keeps of the subscription. */
  subscribeData: Row;
  /** Takes a delivery and gives the rows that would start the Zap. */
  receive(request: HookRequest): Promise<Row[]>;
  /** Turns the Zap off. */
  unsubscribe(): Promise<void>;
}

/** Turns on a Zap with the trigger `key`; deliveries are to go to `targetUrl`. */
export async function subscribeTrigger(run: RunMethod, key: string, targetUrl: string): Promise<ZapierHook> {
  const operation = `triggers.${key}.operation`;
  const subscribeData = (await run(`${operation}.performSubscribe`, { targetUrl })) as Row;
  return {
    subscribeData,
    receive: async ({ headers, rawBody }) =>
      (await run(`${operation}.perform`, { subscribeData, ...hookBundle(headers, rawBody) })) as Row[],
    unsubscribe: async () => {
      await run(`${operation}.performUnsubscribe`, { subscribeData, targetUrl });
    },
  };
}

function hookBundle(headers: Record<string, string>, content: string): Row {
  const request = { method: 'POST', querystring: '', headers };
  return {
    rawRequest: { ...request, content },
    cleanedRequest: { ...request, querystring: {}, content: parse(content) },
  };
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return {};
  }
}
