import { join } from 'node:path';
import { EVENT_TYPES, type EventType, type QrCode } from '@qr-service/core';
import { API_PATH } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type EmulatorOptions } from 'qr-service-emulator';
import { temporaryFolder } from '../../../../test/support/temporaryFolder.ts';
import { checkExchange } from './contract.ts';
import { atEnd, startReceiver, type RespondToDelivery } from './receiver.ts';

/** A response of the API, as tests use it. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** The body as JSON; an empty object if it isn't JSON. */
  json: Record<string, unknown>;
}

/** A request of a test. */
export interface ApiRequest {
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  rawBody?: string;
  headers?: Record<string, string>;
  /** Default: the all-scopes key; null for none. */
  apiKey?: string | null;
  /** The response is meant to differ from the contract. */
  offContract?: boolean;
}

/** Takes a third of the time of `fetch`. */
const send = undiciTransport();

/** An emulator under test and a plain client for it. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts an emulator that stops after the test. Every call is checked against the contract. */
export async function startService(options: EmulatorOptions = {}) {
  const emulator = await startEmulator(options);
  atEnd(() => emulator.stop());

  async function call(method: string, path: string, request: ApiRequest = {}): Promise<ApiResponse> {
    const apiKey = request.apiKey === undefined ? emulator.apiKey : request.apiKey;
    const body = request.rawBody ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    const url = new URL(`${emulator.url}${API_PATH}${path}`).href;
    const response = await send({
      method: method as 'GET',
      url,
      responseType: 'bytes',
      timeoutMs: 60_000,
      headers: { ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }), ...request.headers },
      ...(body === undefined ? {} : { body }),
    });
    const { status } = response;
    const headers = new Headers(response.headers as Record<string, string>);
    const bytes = response.body as Buffer;
    if (request.offContract !== true)
      checkExchange({ method, url, requestBody: body, status, headers, body: bytes });
    return { status, headers, bytes, json: parse(headers, bytes) };
  }

  async function createCode(name = 'Table 4', targetUrl = 'https://example.com/menu'): Promise<QrCode> {
    const { status, json } = await call('POST', '/qr', { body: codeInput(name, targetUrl) });
    if (status !== 201) throw new Error(`creating a code returned ${status}`);
    return json as QrCode;
  }

  return { emulator, call, createCode };
}

/** The body that creates a code. */
export function codeInput(name: string, targetUrl = 'https://example.com/menu') {
  return { name, mode: 'dynamic', contentType: 'url', content: { targetUrl } };
}

function parse(headers: Headers, bytes: Buffer): Record<string, unknown> {
  const isJson = headers.get('Content-Type') === 'application/json' && bytes.length > 0;
  return isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {};
}

/** Public host under which the receiver is known. */
export const HOST = 'hooks.example.com';

/** Starts an emulator and a receiver that is subscribed to every event, until the end of the test. */
export async function startSubscribed(respond?: RespondToDelivery, options: EmulatorOptions = {}) {
  const receiver = await startReceiver(respond);
  const service = await startService({ retryBaseMs: 5, ...options, connectTo: { [HOST]: receiver.address } });
  /** The secret signs the deliveries to the latest subscription. */
  const both = { ...service, receiver, secret: '', subscribe };
  /** Subscribes the receiver again and returns the subscription's ID. */
  async function subscribe(...types: EventType[]): Promise<string> {
    const body = { url: `https://${HOST}/in?box=1`, eventTypes: types.length === 0 ? EVENT_TYPES : types };
    const { json } = await service.call('POST', '/webhooks', { body });
    both.secret = String(json['secret']);
    return String(json['id']);
  }
  await subscribe();
  return both;
}

/** Path of a file in a new folder. */
export const tempFile = (name: string) => join(temporaryFolder(), name);
