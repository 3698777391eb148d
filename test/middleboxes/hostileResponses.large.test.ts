import {
  closeServices,
  echo,
  serve,
  SLOW_RESPONSES,
  type RequestHandler,
} from '../support/faultyService/faultyService.ts';
import { endless } from '../support/jest/endless.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { TRANSPORTS, type TransportUnderTest } from './transports.ts';

const KEY = 'qrs_the_key_of_these_tests';
describe.each(Object.entries(TRANSPORTS))('over %s', (_name, startTransport) => {
  let transport: TransportUnderTest;
  // Without waits between attempts.
  beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0));
  afterEach(async () => {
    await transport.close?.();
    jest.restoreAllMocks();
    closeServices();
  });

  /** Publishes a code at a service that responds this way. */
  async function publish(handler: RequestHandler) {
    const { url } = await serve(handler);
    transport = await startTransport({ baseUrl: url, apiKey: KEY });
    return transport.publish();
  }

  test.each(SLOW_RESPONSES)('times out on %s', async (_what, handler) => {
    const { text } = await publish(endless(startVirtualTime(), handler));
    expect(text).toMatch(/did not respond within \d+ seconds/);
  });

  test('an error that echoes the request shows neither the key nor control characters', async () => {
    const { text = '', retained } = await publish(echo);
    expect(text.length).toBeLessThan(2500);
    expect(text).toMatch(/^[^\p{C}]+$/u);
    expect(retained).not.toContain(KEY.slice(0, 12));
  });

  test('fails on endless headers', async () => {
    const { text } = await publish((_request, { socket }) =>
      socket?.write(`HTTP/1.1 200 OK\r\n${'X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(1e4)}`),
    );
    expect(text).toMatch(/could not be reached/);
  });
});
