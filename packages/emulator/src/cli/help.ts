import { API_PATH, BRAND } from '@qr-service/core/connector';
import { WIRE_CHOICES } from '../config/wireShape.ts';
import { DELIVERY_FAULTS } from '../faults/deliveryFaults.ts';
import { FAULT_PRESETS } from '../faults/requestFaultPresets.ts';
import { CONTROL_PATH } from '../http/control/index.ts';
import { DEFAULT_PORT } from './arguments.ts';

/** What `--help` prints. */
export const HELP = `${BRAND.name} emulator: the QR code service on your own machine, with its whole API, short links
and signed webhooks. It needs neither an account nor the internet.

Usage: qr-service-emulator [options]

  qr-service-emulator                       starts it
  qr-service-emulator --db my.db            starts it and stores everything in a file

It prints its address, an API key with all scopes and a curl command to try, then a line for each
request and each delivery. Open the address in a browser to see the inspector: requests, codes,
subscriptions, deliveries and scans, with buttons for what the service's app would do.

n8n on this machine, known to the service as https://n8n.example.com:
  qr-service-emulator --connect-to n8n.example.com=127.0.0.1:5678
  N8N_WEBHOOK_URL=https://n8n.example.com/ n8n start    (in another terminal)
Zapier, or anything else that isn't on this machine, with a tunnel to port ${DEFAULT_PORT}:
  qr-service-emulator --port ${DEFAULT_PORT} --redirect-url https://<tunnel's address>/r
CI: start it in the background with a port and a key, and wait until it responds:
  qr-service-emulator --port ${DEFAULT_PORT} --api-key test &
  curl --silent --retry 20 --retry-connrefused -H 'Authorization: Bearer test' \\
    http://127.0.0.1:${DEFAULT_PORT}${API_PATH}/me
In a JavaScript test, use startEmulator() from the package instead of the command.

Options:
  --port <number>      Port to listen on. Default ${DEFAULT_PORT}, or the next free one.
  --host <address>     Address to listen on. Default 127.0.0.1, this machine only.
  --db <file>          SQLite file that stores codes, keys, subscriptions and pending
                       deliveries. Default: memory, lost when the emulator stops.
  --connect-to <host=address:port>
                       Sends webhook deliveries for a public host to a local port in plain
                       HTTP, as a tunnel would. Can be given several times.
  --redirect-url <url> Base URL of the codes' short links. Default: this server's own /r.
  --rate-limit <requests/seconds>
                       Requests that a key may send per window. Default 2000/10.
  --api-key <key>      The API key to use, also from QR_SERVICE_API_KEY. Default: a new one
                       at each start. With --db, keys of earlier starts stay valid.
  --seed <file>        JSON file with the initial codes, scans, keys and subscriptions.
  --id-seed <text>     Makes ids, slugs and secrets the same at each start.
  --wire-shape <point=form,…>
                       Changes responses where the API text leaves their form open; see below.
  --fault <name>       Makes every matching API request fail this way; see below. Can be
                       given several times.
  --delivery-fault <name>
                       Makes every webhook delivery go wrong this way. Can be given several
                       times.
  --help               Prints this help.
  --version            Prints the version.

Exit codes: 0 after Ctrl-C or SIGTERM (with --db, pending deliveries resume at the next start);
1 if it can't start, with the reason in one sentence: a port in use, a database file that can't be
used (it stays unchanged), an invalid option.

Request faults, in quotes (--fault 'proxy error'):
${list(descriptions(FAULT_PRESETS))}

Delivery faults (--delivery-fault 'wrong secret'):
${list(DELIVERY_FAULTS)}

Wire shapes, the default first (--wire-shape listKey=items,reset='epoch seconds'):
${list(Object.fromEntries(Object.entries(WIRE_CHOICES).map(([point, forms]) => [point, forms.join(', ')])))}

While it runs, all of this can be set and cleared over HTTP. GET ${CONTROL_PATH} lists the routes.
`;

function descriptions(table: typeof FAULT_PRESETS): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([name, { description }]) => [name, description]));
}

/** One line for each name, or two where the name is long. */
function list(table: Readonly<Record<string, string>>): string {
  return Object.entries(table)
    .map(([name, text]) =>
      name.length > 22 ? `  ${name}\n${' '.repeat(26)}${text}` : `  ${name.padEnd(23)} ${text}`,
    )
    .join('\n');
}
