import { Buffer } from 'node:buffer';
import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';

/** An HTTP response. */
export interface WebhookAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The request as n8n passes it to a node: Express's request, with the raw body next to the parsed one. */
export function webhookRequest(delivery: {
  method: string;
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
}): object {
  const headers = Object.fromEntries(
    Object.entries(delivery.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    method: delivery.method,
    headers,
    rawBody: delivery.rawBody,
    body: parseBody(delivery.rawBody),
    query: {},
    params: {},
    readRawBody: () => Promise.resolve(),
  };
}

/** The part of Express's response that this engine and the nodes use. */
interface WebhookResponse extends EventEmitter {
  statusCode: number;
  writableEnded: boolean;
  destroyed: boolean;
  status(code: number): WebhookResponse;
  setHeader(name: string, value: string): WebhookResponse;
  json(body: unknown): WebhookResponse;
  send(body: string | Buffer): WebhookResponse;
  end(body?: string | Buffer): WebhookResponse;
}

/** Creates a response, and a promise for its content that resolves when it ends. */
export function webhookResponse(): { response: WebhookResponse; finished: Promise<WebhookAnswer> } {
  const headers: Record<string, string> = {};
  let finish: (result: WebhookAnswer) => void = () => undefined;
  const finished = new Promise<WebhookAnswer>((resolve) => {
    finish = resolve;
  });
  const response: WebhookResponse = Object.assign(new EventEmitter(), {
    statusCode: 200,
    writableEnded: false,
    destroyed: false,
    status(code: number) {
      response.statusCode = code;
      return response;
    },
    setHeader(name: string, value: string) {
      headers[name.toLowerCase()] = value;
      return response;
    },
    json(body: unknown) {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify(body));
    },
    send(body: string | Buffer) {
      return response.end(body);
    },
    end(body: string | Buffer = '') {
      if (response.writableEnded) return response;
      response.writableEnded = response.destroyed = true;
      finish({ status: response.statusCode, headers, body: Buffer.from(body as string) });
      response.emit('close');
      return response;
    },
  });
  return { response, finished };
}

function parseBody(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch {
    return {};
  }
}
