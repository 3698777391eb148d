import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { API_PATH, BRAND } from '@qr-service/core/connector';
import { Hono } from 'hono';
import type { EmulatorContext } from './control/context.ts';
import type { Control } from './control/control.ts';
import { createApi } from './http/api/index.ts';
import { sendBody } from './http/bodies.ts';
import type { Env } from './http/env.ts';
import { ApiFailure, apiFailure, failureBody, noteFailure } from './http/failures.ts';
import { recordRequest } from './http/recordRequest.ts';
import { REDIRECT_PATH, redirectRoutes } from './http/redirect.ts';
import { CONTROL_PATH, createControlApi } from './http/rpc.ts';
import { createInspector } from './inspector/index.ts';

const OPENAPI = readFileSync(createRequire(import.meta.url).resolve('@qr-service/core/openapi.yaml'), 'utf8');

/** The requested port is in use. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';

  constructor(port: number) {
    super(`Port ${port} is already in use; choose another port.`);
  }
}

/** A server that accepts requests. */
interface RunningServer {
  port: number;
  /** Closes every connection immediately. */
  close(): Promise<void>;
}

/** Everything that the emulator serves, on one port. */
export function createApp(context: EmulatorContext, control: Control): Hono<Env> {
  const app = new Hono<Env>();
  // Registered before `recordRequest`, so that requests to the inspector and the control API stay out of the log.
  app.route('/', createInspector(context, control));
  app.route(CONTROL_PATH, createControlApi(context, control));
  app.get('/openapi.yaml', (c) => {
    const text = OPENAPI.replace(BRAND.baseUrl, new URL(c.req.url).origin);
    return c.body(text, 200, { 'Content-Type': 'application/yaml' });
  });
  app.use(recordRequest(context));
  app.route(API_PATH, createApi(context));
  app.route(REDIRECT_PATH, redirectRoutes(context));
  app.notFound((c) => {
    throw apiFailure('not_found', `No endpoint ${c.req.method} ${c.req.path} exists.`);
  });
  app.onError((error, c) => {
    const failure = error instanceof ApiFailure ? error : internal(error);
    noteFailure(c, failure);
    return sendBody(c, failure.status, failureBody(failure, c.var.requestId));
  });
  return app;

  function internal(error: Error): ApiFailure {
    context.log(`internal error: ${error.stack ?? error.message}`);
    return new ApiFailure('internal_error', 500, 'Internal error of the emulator. See its log.');
  }
}

/**
 * Starts the server.
 * @param port 0 for any free one
 * @throws PortInUseError, or Error if it can't listen for another reason
 */
export async function listen(app: Hono<Env>, host: string, port: number): Promise<RunningServer> {
  // Leaves the global Request and Response alone, because tests run the emulator in their own process.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message = `The emulator can't listen on ${host}, port ${port} (${cause.code ?? cause.message}).`;
      reject(cause.code === 'EADDRINUSE' ? new PortInUseError(port) : new Error(message, { cause }));
    });
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
