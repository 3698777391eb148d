import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import * as core from '../index.ts';
import * as webhook from './index.ts';

const SHARED = fileURLToPath(new URL('../..', import.meta.url));

let metafile: Metafile;
beforeAll(async () => {
  ({ metafile } = await build({
    absWorkingDir: SHARED,
    entryPoints: ['src/webhook/index.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    outdir: 'out',
  }));
});

describe('the webhook entry point', () => {
  it('imports no client code', () => {
    const files = Object.keys(metafile.inputs);
    expect(files).toContain('src/webhook/verifyWebhook.ts');
    expect(files.filter((file) => !/^src\/(webhook|contract|errors|json|wire)\//.test(file))).toEqual([]);
  });

  it('bundles to a few kilobytes that need only node:crypto', () => {
    const [output] = Object.values(metafile.outputs);
    expect(output!.imports.map(({ path }) => path)).toEqual(['node:crypto']);
    expect(output!.bytes).toBeLessThan(16_000);
  });

  it('verifies a fetch Request by its text and its headers', async () => {
    const body = JSON.stringify(webhook.sampleEvent('qr.published'));
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'x-service-signature': webhook.signWebhook({ body, secret: 's', timestamp }),
      'x-service-delivery': 'dlv_1',
    };
    const request = new Request('https://hooks.example.com', { method: 'POST', body, headers });
    const input = { rawBody: await request.text(), headers: request.headers };
    expect(webhook.verifyWebhook({ ...input, secret: 's' })).toMatchObject({
      event: { type: 'qr.published' },
      deliveryId: 'dlv_1',
    });
    expect(() => webhook.verifyWebhook({ ...input, secret: 'other' })).toThrow(
      expect.objectContaining({ reason: 'signature_mismatch' }),
    );
  });

  it('exports the same verifier, signer and errors as the whole core', () => {
    const inBoth = Object.entries(webhook).filter(([name]) => name in core);
    expect(inBoth.map(([name]) => name)).toEqual(
      expect.arrayContaining(['verifyWebhook', 'signWebhook', 'WebhookVerificationError']),
    );
    for (const [name, value] of inBoth) expect(core).toHaveProperty(name, value);
  });
});
