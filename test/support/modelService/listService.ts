import type { ErrorCode } from '@qr-service/core';
import { omitUndefined, SAMPLE_QR_CODE } from '@qr-service/core/connector';
import { serve, type FaultyService } from '../faultyService/faultyService.ts';
import { respondWith, serviceError } from '../faultyService/serviceErrors.ts';
import { Codes } from './codes.ts';
import type { Row } from './rows.ts';
import { respond } from './wire.ts';

/** A service behind HTTP, whose rows and clock the test controls. */
export class ListService extends Codes implements FaultyService {
  url = '';
  requests: FaultyService['requests'] = [];
  override now = () => Date.now();
  /** Whether responses have a `Date` header. */
  tellsTime = true;
  /** Requests that it accepts per minute. Undefined: any number, and no headers of a rate limit. */
  perMinute: number | undefined = undefined;
  /** The error for a request with this query, if any. */
  refusal: (query: URLSearchParams) => ErrorCode | undefined = () => undefined;
  /** Called before each response. The request gets no response if it returns false. */
  responds: (query: URLSearchParams) => unknown = () => true;

  /** Creates or changes a row, which is both a code and a scan. */
  write(id: string, fields: Row = {}): Row {
    const time = new Date(this.now()).toISOString();
    const row = { ...SAMPLE_QR_CODE, qrId: 'qr_1', updatedAt: time, scannedAt: time, ...fields, id };
    this.put(row, undefined, this.now());
    return row;
  }
}

/** Starts a service. */
export async function startListService(options: Partial<ListService> = {}): Promise<ListService> {
  const service = Object.assign(new ListService(), options);
  let accepted = { minute: 0, count: 0 };
  const server = await serve(async (request, response, body) => {
    const { method = '', url = '' } = request;
    const query = new URL(url, 'http://service').searchParams;
    if ((await service.responds(query)) === false) return;
    const now = service.now();
    response.sendDate = false;
    if (service.tellsTime) response.setHeader('Date', new Date(now).toUTCString());
    if (service.perMinute !== undefined) {
      const minute = Math.floor(now / 60_000);
      accepted = { minute, count: accepted.minute === minute ? accepted.count + 1 : 1 };
      const reset = Math.ceil(60 - (now % 60_000) / 1000);
      response.setHeader('X-RateLimit-Limit', service.perMinute);
      response.setHeader('X-RateLimit-Remaining', Math.max(0, service.perMinute - accepted.count));
      response.setHeader('X-RateLimit-Reset', reset);
      const refusal = { ...serviceError('rate_limited'), headers: { 'Retry-After': `${reset}` } };
      if (accepted.count > service.perMinute) return respondWith(refusal)(request, response, body);
    }
    const refusal = service.refusal(query);
    const key = request.headers['idempotency-key'] as string | undefined;
    const reply =
      refusal === undefined
        ? respond(service, { method, url, body, ...omitUndefined({ key }) })
        : serviceError(refusal);
    return respondWith(reply)(request, response, body);
  });
  return Object.assign(service, server);
}
