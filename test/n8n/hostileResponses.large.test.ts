import { serve, SLOW_RESPONSES, type RequestHandler } from '../support/faultyService/faultyService.ts';
import { endless } from '../support/jest/endless.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { action, codeBy } from './support/workflows.ts';
import { startWorld, type World } from './support/world.ts';

// What n8n does beyond the operations: test/middleboxes runs those against the same responses.

const KEY = 'qrs_the_key_of_these_tests';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
afterEach(() => jest.restoreAllMocks());

async function engineAt(handler: RequestHandler) {
  const { url } = await serve(handler);
  return world.engineWith({ baseUrl: url, apiKey: KEY });
}

describe('the credential test', () => {
  const testAt = async (handler: RequestHandler) => (await engineAt(handler)).testCredential('qrServiceApi');

  test.each(SLOW_RESPONSES)('ends after 15 seconds on %s', async (_what, handler) => {
    const { message } = await testAt(endless(startVirtualTime(), handler));
    expect(message).toMatch(/did not respond within 15 seconds/);
  });
});

test('cancelling the execution closes the connection of a response that trickles', async () => {
  const cancel = new AbortController();
  let close: () => void;
  const closed = new Promise<void>((resolve) => (close = resolve));
  const engine = await engineAt((request, response) => {
    request.socket.on('close', close);
    SLOW_RESPONSES[0]![1](request, response, '');
    setImmediate(() => cancel.abort());
  });
  const get = action({ operation: 'get', qrCodeId: codeBy('id', 'qr_1') });
  const { status } = await engine.runWorkflow(get, { signal: cancel.signal });
  expect(status).not.toBe('success');
  await closed;
});
