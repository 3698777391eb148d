import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { IDataObject } from 'n8n-workflow';
import { decodeQr } from '../../../support/decodeQr.ts';
import { waitForExecutions } from '../../support/n8n/executions.ts';
import type { CredentialRef, Execution } from '../../support/n8n/n8nRest.ts';
import { REJECTED } from '../thirdParties/mailServer.ts';
import { startThirdParties, type ThirdParties, type ThirdPartyRecord } from '../thirdParties/thirdParties.ts';
import { exampleFile, withCredential } from '../../support/n8n/workflows.ts';
import { startWorld, type World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';

/** The templates, with the nodes that start them. */
const STARTS = {
  'registration-to-ticket': 'Registration Form',
  'crm-deals-to-links': 'Every 15 Minutes',
  'airtable-to-drive-images': 'Every Hour',
  'daily-scan-report': 'Every Morning',
} as const;
type Template = keyof typeof STARTS;

/** Names of the examples that are tested here. */
export const TEMPLATE_NAMES: readonly string[] = Object.keys(STARTS);

/** A server whose requests to third parties reach stand-ins. */
interface Scene extends World {
  parties: ThirdParties;
  /** Saves a template as its notes say: nothing is pinned, and all nodes have an account. */
  setUp(name: Template, settings?: IDataObject): Promise<string>;
  /** Runs a template, which is set up once: a Deduplication Key applies to one workflow. */
  run(name: Template, settings?: IDataObject): Promise<Execution>;
}

/**
 * The templates on a server of their own. Real: n8n and all of its nodes, the package, SMTP, and TLS to the hosts that
 * the nodes know. Stand-ins: the emulator for the service, and a few routes of HubSpot, Airtable and Google.
 */
export function templateSteps(): void {
  let scene: Promise<Scene> | undefined;
  const open = () => (scene ??= startScene());
  after(async () => {
    if (scene === undefined) return;
    const opened = await scene;
    await opened.stop();
    await opened.parties.stop();
  });
  for (const name of TEMPLATE_NAMES as Template[])
    step(`the template ${name} works`, async () => USES[name](await open()));
}

const USES: Record<Template, (scene: Scene) => Promise<void>> = {
  async 'registration-to-ticket'(scene) {
    const { n8n, server, emulator, parties } = scene;
    const workflowId = await scene.setUp('registration-to-ticket');
    await n8n.activate(workflowId);
    const { nodes } = await n8n.workflow(workflowId);
    const formUrl = `${server.url}/form/${nodes.find(({ name }) => name === 'Registration Form')!.webhookId!}`;
    const page = await (await fetch(formUrl)).text();
    for (const text of ['Register for the Event', 'Your ticket is on its way'])
      assert.ok(page.includes(text));
    let count = 0;
    /** Fills in the form, and returns the code and the mails. */
    const register = async (name: string, email: string) => {
      const body = new FormData();
      body.append('field-0', name);
      body.append('field-1', email);
      assert.equal((await fetch(formUrl, { method: 'POST', body })).status, 200);
      const executions = await waitForExecutions(n8n, workflowId, ++count);
      const { error, items } = executions.at(-1)!;
      assert.equal(error, undefined);
      return { code: items['Create Ticket Code']![0]!.json, mails: await parties.mails.take() };
    };

    const { code, mails } = await register('Ada <b>Lovelace</b>', 'Ada@Example.com');
    const [ticket, ...others] = mails;
    assert.deepEqual(others, []);
    assert.deepEqual([ticket!.to, ticket!.subject], ['ada@example.com', 'Your ticket']);
    const { publicUrl, slug, id } = code as Record<string, string>;
    assert.deepEqual(
      ticket!.files.map(({ name, type, isEmbedded, content }) => [name, type, isEmbedded, decodeQr(content)]),
      [true, false].map((isEmbedded) => [`${slug!}.png`, 'image/png', isEmbedded, publicUrl]),
    );
    assert.ok(ticket!.text.includes(publicUrl!));
    assert.match(ticket!.html, /<img src="cid:ticket"/);
    assert.ok(ticket!.html.includes('Ada &lt;b>Lovelace&lt;/b>'));
    const checkIn = (await fetch(publicUrl!, { redirect: 'manual' })).headers.get('location');
    assert.match(checkIn!, /^https:\/\/example\.com\/check-in\?ticket=[0-9a-f]{16}$/);

    const again = await register('Ada', ' ada@example.com');
    assert.deepEqual([again.code['id'], again.mails.length], [id, 1]);

    emulator.control.failNext({ code: 'quota_exceeded' });
    const unhappy: [name: string, email: string, reason: RegExp][] = [
      ['Grace', 'grace@example.com', /quota/i],
      ['Nobody', REJECTED, /No such mailbox/],
    ];
    for (const [name, email, reason] of unhappy) {
      const [told, ...more] = (await register(name, email)).mails;
      assert.deepEqual(more, []);
      assert.deepEqual([told!.to, told!.subject], ['organizer@example.com', `No ticket for ${email}`]);
      assert.match(told!.text, reason);
      assert.ok(told!.text.startsWith(`${name} (${email}) registered`));
    }
    await n8n.deactivate(workflowId);
  },

  async 'crm-deals-to-links'(scene) {
    const { parties } = scene;
    const deal = (id: string, dealname: string, url: string, more: Record<string, string> = {}) =>
      parties.deals.push({ id, fields: { dealname, qr_target_url: url, ...more } });
    deal('1', 'Good', 'https://example.com/1');
    deal('2', '', 'https://example.com/2');
    deal('3', 'Wrong', 'nowhere');
    deal('4', 'Locked', 'https://example.com/4');
    deal('5', 'Has a link', 'https://example.com/5', { qr_short_link: 'https://qr.example/x' });
    deal('6', 'Good, too', 'https://example.com/6', { qr_error: 'Old error' });
    deal('7', 'Without a target', '');
    parties.refused.add('4');
    const field = (name: string) => fieldOf(parties.deals, name);
    const { error } = await scene.run('crm-deals-to-links');
    assert.match(error!, /^HubSpot didn't save all results\. The first is that of Locked \(4\)\. Reason: ./);
    const stems = () => field('qr_short_link').map((link) => link?.replace(/.*\/|-[^-]*$/g, ''));
    const none = undefined;
    assert.deepEqual(stems(), ['good', none, none, none, 'x', 'good-too', none]);
    const wrong = "Target URL isn't a valid web address: 'nowhere'";
    assert.deepEqual(field('qr_error'), ['', 'Name is empty', wrong, none, none, '', none]);

    // The next run saves what was refused, with the code that was created for it.
    parties.refused.clear();
    const codes = await codesIn(scene);
    assert.equal((await scene.run('crm-deals-to-links')).error, undefined);
    assert.equal(stems()[3], 'locked');
    assert.deepEqual(await codesIn(scene), codes);
  },

  async 'airtable-to-drive-images'(scene) {
    const { parties } = scene;
    const record = (id: string, Name: string, url: string, more: Record<string, string> = {}) =>
      parties.records.push({ id, fields: { Name, 'Target URL': url, ...more } });
    record('recGood', 'Good one', 'https://example.com/1');
    record('recNameless', '', 'https://example.com/2');
    record('recWrong', 'Wrong', 'nowhere');
    record('recLocked', 'Locked record', 'https://example.com/4');
    record('recDone', 'Done', 'https://example.com/5', { 'Image Link': 'https://drive.example/5' });
    record('recFull', 'Too much', 'https://example.com/6');
    record('recLast', 'Last one', 'https://example.com/7', { Error: 'Old error' });
    parties.refused.add('recLocked').add('too-much-');
    const field = (name: string) => fieldOf(parties.records, name);
    const { error } = await scene.run('airtable-to-drive-images');
    assert.equal(error, "Airtable didn't save all results. Reason: The record is locked");
    const [good, nameless, wrong, , , full, last] = field('Error');
    assert.deepEqual([good, last, nameless], ['', '', 'Name is empty']);
    assert.equal(wrong, "Target URL isn't a valid web address: 'nowhere'");
    assert.ok(full);
    assert.deepEqual(
      parties.files.map(({ name }) => name.replace(/-[^-]*$/, '')),
      ['good-one', 'locked-record', 'last-one'],
    );
    /** Reads the codes in the images that records link to, and compares them with the links beside them. */
    const checkImages = (count: number) => {
      const links = field('Short Link');
      const linked = field('Image Link').map((url) =>
        parties.files.find(({ id }) => url === `https://drive.google.com/file/d/${id}/view`),
      );
      assert.equal(linked.filter((file) => file !== undefined).length, count);
      for (const [index, file] of linked.entries())
        if (file !== undefined) assert.equal(decodeQr(file.content), links[index]);
    };
    checkImages(2);

    // The next run processes what was refused, with the codes that were created for it.
    parties.refused.clear();
    const codes = await codesIn(scene);
    assert.equal((await scene.run('airtable-to-drive-images')).error, undefined);
    checkImages(4);
    assert.deepEqual(await codesIn(scene), codes);
  },

  async 'daily-scan-report'(scene) {
    const { client, emulator, parties } = scene;
    const { clock } = emulator.control;
    const settings = { timezone: 'Pacific/Auckland' };
    const report = async () => {
      const { error, items } = await scene.run('daily-scan-report', settings);
      assert.equal(error, undefined);
      const [mail, ...others] = await parties.mails.take();
      assert.deepEqual(others, []);
      return { mail: mail!, yesterday: items['Yesterday']![0]!.json as Record<string, string> };
    };
    const { mail: empty, yesterday } = await report();
    const { from, to, day, zone } = yesterday;
    assert.equal(zone, settings.timezone);
    assert.equal(empty.subject, 'QR codes: no scans yesterday');
    assert.equal(empty.text.trim(), `There were no scans on ${day!} (${zone}).`);

    const [table, poster, deleted] = await Promise.all(
      ['Table <4>', 'Poster', 'Deleted'].map(async (name) => {
        const content = { targetUrl: 'https://example.com/' };
        const { id } = await client.qr.create({ name, mode: 'dynamic', contentType: 'url', content });
        return client.qr.publish(id);
      }),
    );
    const now = clock.now();
    const [start, end] = [Date.parse(from!), Date.parse(to!)];
    const at = (hour: number) => start + hour * 3_600_000;
    const scans: [typeof table, number[]][] = [
      // The clock continues while a scan is made.
      [table, [at(-0.01), start, at(9), at(9.5), end - 30_000, end]],
      [deleted, [at(13), at(14)]],
      [poster, [at(12)]],
    ];
    for (const [code, times] of scans)
      for (const time of times) {
        clock.set(time);
        await fetch(code!.publicUrl, { redirect: 'manual' });
      }
    clock.set(now);
    emulator.control.delete(deleted!.id);
    const { mail } = await report();
    assert.equal(mail.subject, 'QR codes: 7 scans yesterday');
    const lines = mail.text.split('\n').map((line) => line.trim());
    assert.deepEqual(
      lines.filter((line) => line !== ''),
      [
        `7 scans on ${day!} (${zone})`,
        ...['By code', 'Table <4>: 4', `${deleted!.id}: 2`, 'Poster: 1'],
        ...['By hour', '00:00: 1', '09:00: 2', '12:00: 1', '13:00: 1', '14:00: 1', '23:00: 1'],
      ],
    );
    assert.ok(mail.html.includes('Table &lt;4>'));
    assert.equal(mail.html.match(/bgcolor/g)!.length, 3 + 6);

    emulator.control.failNext({ code: 'invalid_api_key', times: 1 });
    const { mail: failure } = await report();
    assert.equal(failure.subject, 'QR codes: the report failed');
    assert.match(failure.text, /^The scans couldn't be read\. Reason: .*key/);
  },
};

/** IDs of all codes. */
async function codesIn({ client }: World): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of client.qr.list()) ids.push(id);
  return ids.sort();
}

const fieldOf = (records: readonly ThirdPartyRecord[], name: string) =>
  records.map(({ fields }) => fields[name]);

async function startScene(): Promise<Scene> {
  const parties = await startThirdParties();
  const world = await startWorld({}, { env: parties.env });
  const accounts = new Map<string, CredentialRef>();
  const workflows = new Map<Template, string>();
  const setUp: Scene['setUp'] = async (name, settings) => {
    const { pinData: _pinned, ...workflow } = withCredential(exampleFile(name), world.credential);
    for (const node of workflow.nodes) {
      const account = parties.credentialFor(node);
      if (account === undefined) continue;
      const { type, data, parameters } = account;
      const saved = accounts.get(type) ?? (await world.n8n.saveCredential(type, data));
      accounts.set(type, saved);
      node.credentials = { [type]: saved };
      Object.assign(node.parameters, parameters);
    }
    return world.n8n.saveWorkflow({ ...workflow, settings: { ...workflow.settings, ...settings } });
  };
  return {
    ...world,
    parties,
    setUp,
    async run(name, settings) {
      const workflowId = workflows.get(name) ?? (await setUp(name, settings));
      workflows.set(name, workflowId);
      return world.n8n.waitUntilEnded(await world.n8n.run(workflowId, STARTS[name]));
    },
  };
}
