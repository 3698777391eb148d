import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EVENT_TYPES } from '@qr-service/core';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

async function run(inputType: 'module' | 'commonjs', code: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [`--input-type=${inputType}`, '--eval', code],
    { cwd: ROOT },
  );
  return stdout.trim();
}

describe('the built core', () => {
  it('works from ES modules', async () => {
    const code = `
      import { QrServiceClient, EVENT_TYPES } from '@qr-service/core';
      import { undiciTransport } from '@qr-service/core/undici';
      const client = new QrServiceClient({ baseUrl: 'https://a.example', apiKey: 'k', transport: undiciTransport() });
      console.log(typeof client.qr.create, EVENT_TYPES.length);`;
    expect(await run('module', code)).toBe(`function ${EVENT_TYPES.length}`);
  });

  it('works from CommonJS', async () => {
    const code = `
      const { QrServiceClient, EVENT_TYPES } = require('@qr-service/core');
      const { undiciTransport } = require('@qr-service/core/undici');
      const client = new QrServiceClient({ baseUrl: 'https://a.example', apiKey: 'k', transport: undiciTransport() });
      console.log(typeof client.qr.create, EVENT_TYPES.length);`;
    expect(await run('commonjs', code)).toBe(`function ${EVENT_TYPES.length}`);
  });

  it('recognizes an error from another loaded copy', async () => {
    const code = `
      const { ApiError } = require('@qr-service/core');
      import('@qr-service/core').then(({ isApiError, ApiError: Other }) => {
        const error = new ApiError({ status: 404, code: 'not_found', message: 'm', retryable: false, method: 'GET', path: '/qr/1' });
        console.log(error instanceof Other, isApiError(error));
      });`;
    expect(await run('commonjs', code)).toBe('false true');
  });
});
