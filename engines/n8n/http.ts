import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';

/** An HTTP answer. */
export interface WebhookAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The request as n8n hands it to a node: express's, with the body's bytes beside the parsed body. */
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

/** The part of express's response that nodes use; `answered` settles when the node ends it. */
export function webhookResponse(): { response: object; answered: Promise<WebhookAnswer> } {
  const answer: WebhookAnswer = { status: 200, headers: {}, body: Buffer.alloc(0) };
  let settle: (answer: WebhookAnswer) => void = () => undefined;
  const answered = new Promise<WebhookAnswer>((resolve) => {
    settle = resolve;
  });
  const response = {
    status(code: number) {
      answer.status = code;
      return response;
    },
    setHeader(name: string, value: string) {
      answer.headers[name.toLowerCase()] = value;
      return response;
    },
    json(body: unknown) {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify(body));
    },
    send(body: string | Buffer) {
      return response.end(body);
    },
    end(body?: string | Buffer) {
      if (body !== undefined) answer.body = Buffer.from(body as string);
      settle(answer);
      return response;
    },
  };
  return { response, answered };
}

function parseBody(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch {
    return {};
  }
}
