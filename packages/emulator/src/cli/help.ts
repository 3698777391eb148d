import { API_PATH, BRAND } from '@qr-service/core/connector';
import { DIMENSIONS } from '../config/scanDimensions.ts';
import { isNumber } from '../config/readWireShape.ts';
import { CONTRADICTIONS } from '@qr-service/core/shape';
import { OPEN_FORMS, type WirePoint } from '../config/wireShape.ts';
import { DELIVERY_FAULTS } from '../faults/deliveryFaults.ts';
import { FAULT_PRESETS } from '../faults/requestFaultPresets.ts';
import { CONTROL_PATH } from '../http/control/index.ts';
import { DEFAULT_PORT } from './support/defaultPort.ts';

/** Output of `--help`. */
export const HELP = `${BRAND.name} emulator: run the QR code service on your own machine, with its whole API, short
links and signed webhooks. No account or internet connection needed.

Usage: qr-service-emulator [options]

  qr-service-emulator                       start it
  qr-service-emulator --db my.json          start it and store everything in a file

It prints its address, an API key with all scopes and a curl command to try, then one line per request
and delivery. Open the address in a browser for the inspector, which shows requests, codes,
subscriptions, deliveries and scans, and does what the service's app can do.

With n8n on this machine, known to the service as https://n8n.example.com:
  qr-service-emulator --connect-to n8n.example.com=127.0.0.1:5678
  N8N_WEBHOOK_URL=https://n8n.example.com/ n8n start    (in another terminal)
With Zapier, or any other client that isn't on this machine, through a tunnel to port ${DEFAULT_PORT}:
  qr-service-emulator --port ${DEFAULT_PORT} --redirect-url https://<tunnel's address>/r
In CI, start it in the background with a port and a key, and wait until it responds:
  qr-service-emulator --port ${DEFAULT_PORT} --api-key test &
  curl --silent --retry 20 --retry-connrefused -H 'Authorization: Bearer test' \\
    http://127.0.0.1:${DEFAULT_PORT}${API_PATH}/me
In a JavaScript test, call startEmulator() from the package instead.

Options:
  --port <number>      Port to listen on. Default: ${DEFAULT_PORT}, or the next free port.
  --host <address>     Address to listen on. Default: 127.0.0.1, this machine only.
  --db <file>          JSON file for codes, scans, keys, subscriptions and deliveries,
                       written when the emulator stops.
                       Default: in memory, lost when the emulator stops.
  --connect-to <host=address:port>
                       Send webhook deliveries for a public host to a local port over plain
                       HTTP, like a tunnel. Repeatable.
  --redirect-url <url> Base URL of the codes' short links. Default: the emulator's own /r.
  --rate-limit <requests/seconds>
                       Requests per key and window. Default: 2000/10.
  --api-key <key>      API key to use. Also read from QR_SERVICE_API_KEY. Default: a new key
                       at each start. With --db, keys from earlier starts stay valid.
  --seed <file>        JSON file with initial codes, scans, keys and subscriptions.
  --id-seed <text>     Generate the same IDs, slugs and secrets at each start.
  --shape <file>       Start in the shape of a service that qr-service-probe has written.
  --wire-shape <point=form,…>
                       Change responses where the API text leaves the form open; see below.
                       Repeatable.
  --scan-dimensions <names>
                       Scan dimensions that privacy settings allow, of ${DIMENSIONS.join()},
                       or none. Default: all.
  --low-score-notices <on|off>
                       Whether a low score fires feedback.low_score_received. Default: on.
  --visible-after <ms> Show codes and scans in lists only this long after they changed.
  --updated-at-step <ms>
                       Round updatedAt down, so that many codes share one.
  --fault <name>       Make every matching API request fail this way; see below. Repeatable.
  --delivery-fault <name>
                       Make every webhook delivery fail this way; see below. Repeatable.
  --help               Print this help.
  --version            Print the version.

Exit codes: 0 after Ctrl-C or SIGTERM (with --db, pending deliveries resume at the next start);
1 if it can't start, with the reason on one line: the port is in use, the database file can't be used
(it stays unchanged), or an option is invalid.

Request faults (--fault 'proxy error'; quote names with spaces):
${list(descriptions(FAULT_PRESETS))}

Delivery faults (--delivery-fault 'wrong secret'):
${list(DELIVERY_FAULTS)}

Contradictory responses, unlike the API text (--wire-shape error=html):
${contradictions()}

Wire shapes, which the API text leaves open, default first (--wire-shape listKey=items,reset='epoch seconds'):
${list(Object.fromEntries(Object.entries(OPEN_FORMS).map(([point, forms]) => [point, describeForms(point as WirePoint, forms)])))}

You can also change faults and wire shapes over HTTP while it runs. GET ${CONTROL_PATH} lists the routes.
`;

function descriptions(table: typeof FAULT_PRESETS): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([name, { description }]) => [name, description]));
}

function describeForms(point: WirePoint, forms: readonly (string | number)[]): string {
  return isNumber(point) ? `${forms[0]}, or any other number` : forms.join(', ');
}

/** One line per form, with the name of its point on the first one. */
function contradictions(): string {
  return CONTRADICTIONS.map(({ point, forms, description }, nth) => {
    const name = point === CONTRADICTIONS[nth - 1]?.point ? '' : point;
    return `  ${name.padEnd(23)} ${forms.join(', ')}: ${description}`;
  }).join('\n');
}

/** One line per name, or two if the name is long. */
function list(table: Readonly<Record<string, string>>): string {
  return Object.entries(table)
    .map(([name, text]) =>
      name.length > 22 ? `  ${name}\n${' '.repeat(26)}${text}` : `  ${name.padEnd(23)} ${text}`,
    )
    .join('\n');
}
