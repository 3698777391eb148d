import type { Row, RunMethod } from './run.ts';

/** A request to a hook as Zapier stores it. For the headers, see `toZapierHeaders`. */
export interface HookRequest {
  headers: Record<string, string>;
  /** Body text, unmodified. */
  rawBody: string;
}

/** An active Zap with an instant trigger. */
export interface ZapierHook {
  /** The subscription as Zapier stores it. */
  subscribeData: Row;
  /** Receives a delivery and returns the rows that would start the Zap. */
  receive(request: HookRequest): Promise<Row[]>;
  /** Turns the Zap off. */
  unsubscribe(): Promise<void>;
}

/** Turns on a Zap with the trigger `key`, whose deliveries go to `targetUrl`. `inputData` contains the values of its fields. */
export async function subscribeTrigger(
  run: RunMethod,
  key: string,
  targetUrl: string,
  inputData: Row = {},
): Promise<ZapierHook> {
  const operation = `triggers.${key}.operation`;
  const subscribeData = (await run(`${operation}.performSubscribe`, { targetUrl, inputData })) as Row;
  return {
    subscribeData,
    receive: async ({ headers, rawBody }) =>
      (await run(`${operation}.perform`, {
        subscribeData,
        inputData,
        ...hookBundle(headers, rawBody),
      })) as Row[],
    unsubscribe: async () => {
      await run(`${operation}.performUnsubscribe`, { subscribeData, targetUrl, inputData });
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
