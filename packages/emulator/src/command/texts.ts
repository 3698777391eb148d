import { API_PATH, BRAND } from '@qr-service/core';
import type { Emulator } from '../emulator.ts';

/** Port that the command tries first. */
export const DEFAULT_PORT = 4010;

/** Answer to `--help`. */
export const HELP = `${BRAND.name} emulator: the QR code service on your own machine.

Usage: qr-service-emulator [options]

  --port <number>      Port to listen on. Default ${DEFAULT_PORT}, or the next free one.
  --host <address>     Address to listen on. Default 127.0.0.1, this machine only.
  --db <file>          SQLite file that keeps codes, keys, subscriptions and pending
                       deliveries. Default: memory, gone when the emulator stops.
  --connect-to <host=address:port>
                       Sends webhook deliveries for a public host to a local port in plain
                       HTTP, as a tunnel would. Can be given several times.
  --redirect-url <url> Base of the codes' short links. Default: this server's own /r.
  --rate-limit <requests/seconds>
                       Requests that a key may send in a window. Default 2000/10.
  --api-key <key>      The API key to use, also from QR_SERVICE_API_KEY. Default: a new one
                       at each start. With --db, keys of earlier starts stay valid.
  --help               Shows this.
  --version            Shows the version.

Example: n8n on this machine, known to the service as https://n8n.example.com
  WEBHOOK_URL=https://n8n.example.com/ n8n start
  qr-service-emulator --connect-to n8n.example.com=127.0.0.1:5678
`;

/** What the command says once the emulator runs. */
export function banner({ url, redirectUrl, apiKey, workspace }: Emulator, db: string | undefined): string {
  return `${BRAND.name} emulator at ${url}

  API key      ${apiKey}
  Workspace    ${workspace.name} (${workspace.id})
  Short links  ${redirectUrl}
  Database     ${db ?? 'memory, gone when the emulator stops'}

Try it:
  curl -H 'Authorization: Bearer ${apiKey}' ${url}${API_PATH}/me

Ctrl-C stops it.
`;
}
