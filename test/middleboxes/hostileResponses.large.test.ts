import { CODE, closeServices, serve, type RequestHandler } from '../support/faultyService/faultyService.ts';
import {
  BOMBS,
  echo,
  HUGE_ERRORS,
  HUGE_IMAGES,
  HUGE_LISTS,
  SLOW_RESPONSES,
  type Flood,
} from '../support/faultyService/hostileResponses.ts';
import { endless } from '../support/jest/endless.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { TRANSPORTS, type TransportUnderTest } from './transports.ts';

const KEY = 'qrs_the_key_of_these_tests';
/** A page that was cut isn't the service's own answer, whatever its status is. */
const DROPPED = /^The response didn't come from the service.*Check Base URL/s;
const TOO_LARGE =
  /larger than \d+ MB.*(?:Request fewer rows per page or a smaller image|choose a smaller Size)/s;

describe.each(Object.entries(TRANSPORTS))('over %s', (_name, startTransport) => {
  let transport: TransportUnderTest;
  // Without waits between attempts.
  beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0));
  afterEach(async () => {
    await transport.close?.();
    jest.restoreAllMocks();
    closeServices();
  });

  /** Connects to a service that responds this way. */
  async function connect(handler: RequestHandler) {
    const { url, requests } = await serve(handler);
    transport = await startTransport({ baseUrl: url, apiKey: KEY });
    return requests;
  }

  /** The same, but only for images. */
  const connectForImage = (handler: RequestHandler) =>
    connect((request, response, body) =>
      request.url!.includes('/image') ? handler(request, response, body) : response.end(JSON.stringify(CODE)),
    );

  async function expectCut({ whenClosed, bytesSent }: Flood, maxBytes: number): Promise<void> {
    await whenClosed();
    expect(bytesSent()).toBeLessThan(maxBytes);
  }

  test.each([...HUGE_LISTS, ...BOMBS])(
    'fails on %s, without a retry, and closes the connection',
    async (_what, start, maxBytes) => {
      const list = start();
      const requests = await connect(list.handler);
      expect((await transport.walk()).text).toMatch(TOO_LARGE);
      expect(requests).toHaveLength(1);
      await expectCut(list, maxBytes);
    },
  );

  test.each(HUGE_IMAGES)('fails on %s and closes the connection', async (_what, start, maxBytes) => {
    const image = start();
    await connectForImage(image.handler);
    expect((await transport.render()).text).toMatch(TOO_LARGE);
    await expectCut(image, maxBytes);
  });

  test.each(HUGE_ERRORS)(
    'reports the status of %s and closes the connection',
    async (_what, start, maxBytes) => {
      const publication = start();
      await connect(publication.handler);
      expect((await transport.publish()).text).toMatch(DROPPED);
      await expectCut(publication, maxBytes);
      await transport.close?.();
      const image = start();
      await connectForImage(image.handler);
      expect((await transport.render()).text).toMatch(DROPPED);
      await expectCut(image, maxBytes);
    },
  );

  test.each(SLOW_RESPONSES)('times out on %s', async (_what, handler) => {
    await connect(endless(startVirtualTime(), handler));
    expect((await transport.publish()).text).toMatch(/did not respond within \d+ seconds/);
  });

  test('fails on a cursor too long for a URL', async () => {
    const page = JSON.stringify({ data: [], pagination: { nextCursor: 'c'.repeat(1e6) } });
    const requests = await connect((_request, response) => response.end(page));
    expect((await transport.walk()).text).toMatch(/cursor/);
    expect(requests).toHaveLength(1);
  });

  test('an error that echoes the request shows neither the key nor control characters', async () => {
    await connect(echo);
    const { text = '', retained } = await transport.publish();
    expect(text.length).toBeLessThan(2500);
    expect(text).toMatch(/^[^\p{C}]+$/u);
    expect(retained).not.toContain(KEY.slice(0, 12));
  });

  test('fails on endless headers', async () => {
    await connect((_request, { socket }) =>
      socket?.write(`HTTP/1.1 200 OK\r\n${'X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(1e4)}`),
    );
    expect((await transport.list()).text).toMatch(/could not be reached/);
  });
});
