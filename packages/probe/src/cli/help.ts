import { DEFAULT_WEBHOOK_PORT } from '../webhook/receiveDelivery.ts';

/** File that the shape is written to, unless another is named. */
export const SHAPE_FILE = 'shape.json';

/** Text of `--help`. */
export const HELP = `Usage: qr-service-probe --base-url URL [options]

Finds out whether the connectors work with your QR code service, and why not. Sends GET requests only,
unless --write is given. The API key comes from QR_SERVICE_API_KEY, or you are asked for it.

Options:
  --base-url URL          Base URL of the service
  --write                 Also create codes and a subscription, to see how the service responds.
                          Their names say that they can be deleted.
  --webhook URL           With --write: receive a delivery at this public https:// address of your
                          tunnel, and verify it
  --port NUMBER           Port on this machine that the tunnel leads to (default: ${DEFAULT_WEBHOOK_PORT})
  --replay FILE           Verify a captured delivery instead, offline. The signing secret comes from
                          QR_SERVICE_WEBHOOK_SECRET, or you are asked for it.
  --json                  Print the report as JSON
  --html FILE             Also write the report as a web page
  --shape FILE            Where to write the shape of the service (default: ${SHAPE_FILE})
  --verbose               Add requests and responses, without keys and secrets. They contain names
                          and addresses of your codes.
  --auth-header NAME      Header with the key: authorization (default) or api-key
  --header-prefix PREFIX  Prefix of the service's headers
  --help                  Show this text
  --version               Show the version

Environment:
  QR_SERVICE_API_KEY         API key
  QR_SERVICE_BASE_URL        Base URL, instead of --base-url
  QR_SERVICE_WEBHOOK_SECRET  Signing secret for --replay
  NO_COLOR                   Print without colors

Exit status: 0 if each job works that the options ask for, 1 if one doesn't or couldn't be checked or
anything else fails, 2 if the probe can't run (wrong options, the service can't be reached, it refuses the
key, or the key allows nothing), 130 after Ctrl-C. With --replay: 0 only if the delivery is genuine.
`;
