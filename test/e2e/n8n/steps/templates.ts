import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { IDataObject } from 'n8n-workflow';
import { decodeQr } from '../../../support/decodeQr.ts';
import { DAY, HOUR, publishedCode, scannedCode, today } from '../../support/n8n/codes.ts';
import { waitForExecutions } from '../../support/n8n/executions.ts';
import type { CredentialRef, Execution } from '../../support/n8n/n8nRest.ts';
import { WITHOUT_EDITOR } from '../../support/n8n/n8nServer.ts';
import { exampleFile, withCredential } from '../../support/n8n/workflows.ts';
import { allCodes, startWorld, type World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import { REJECTED } from '../thirdParties/mailServer.ts';
import { startThirdParties, type ThirdParties } from '../thirdParties/thirdParties.ts';

/** A server whose requests to third parties reach stand-ins. */
interface Scene extends World {
  parties: ThirdParties;
  /** Saves a template as its notes say: nothing is pinned, and all nodes have an account. */
  setUp(name: string, settings?: IDataObject): Promise<string>;
  /** Runs a template, which is set up once: a Deduplication Key applies to one workflow. */
  run(name: string, settings?: IDataObject): Promise<Execution>;
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
  for (const [name, use] of Object.entries(USES))
    step(`the template ${name} works`, async () => use(await open()));
}

const WRONG_TARGET = "Target URL isn't a valid web address: 'nowhere'";

/** Templates that fill in the records of another service, with its names for their fields. */
const TABLES = {
  'crm-deals-to-links': {
    records: 'deals',
    idPrefix: '',
    fields: { name: 'dealname', target: 'qr_target_url', link: 'qr_short_link', error: 'qr_error' },
    shortLink: 'qr_short_link',
    notSaved: /^HubSpot didn't save all results\. The first is that of Locked \(4\)\. Reason: ./,
  },
  'airtable-to-drive-images': {
    records: 'records',
    idPrefix: 'rec',
    fields: { name: 'Name', target: 'Target URL', link: 'Image Link', error: 'Error' },
    shortLink: 'Short Link',
    notSaved: /^Airtable didn't save all results\. Reason: The record is locked$/,
  },
} as const;

/** Records, with the error after the first run. The fourth isn't saved, and the image of the sixth isn't uploaded. */
const RECORDS: {
  name: string;
  target: string;
  link?: string;
  error?: string;
  expected: string | undefined;
}[] = [
  { name: 'Good one', target: 'https://example.com/1', expected: '' },
  { name: '', target: 'https://example.com/2', expected: 'Name is empty' },
  { name: 'Wrong', target: 'nowhere', expected: WRONG_TARGET },
  { name: 'Locked', target: 'https://example.com/4', expected: undefined },
  { name: 'Done', target: 'https://example.com/5', link: 'https://qr.example/x', expected: undefined },
  { name: 'Too much', target: 'https://example.com/6', expected: '' },
  { name: 'Last one', target: 'https://example.com/7', error: 'Old error', expected: '' },
  { name: 'Without a target', target: '', expected: undefined },
];

/** Fills in records, of which some are refused, and then the others. */
async function fillIn(scene: Scene, template: keyof typeof TABLES): Promise<void> {
  const { fields, idPrefix, shortLink, notSaved, ...table } = TABLES[template];
  const { parties } = scene;
  const hasImages = table.records === 'records';
  const records = parties[table.records];
  for (const [index, row] of RECORDS.entries()) {
    const given = Object.entries(fields).map(([key, field]) => [field, row[key as keyof typeof fields]]);
    const defined = given.filter(([, value]) => value !== undefined);
    records.push({
      id: `${idPrefix}${index + 1}`,
      fields: Object.fromEntries(defined) as Record<string, string>,
    });
  }
  /** Checks which records have a link, and that it leads to their targets. */
  const checkLinks = async (linked: readonly number[]) => {
    assert.deepEqual(
      records.flatMap((record, index) => (record.fields[fields.link] ? [index + 1] : [])),
      linked,
    );
    for (const number of linked) {
      const record = records[number - 1]!.fields;
      if (record[fields.name] === 'Done') continue;
      const url = record[shortLink]!;
      assert.equal((await fetch(url, { redirect: 'manual' })).headers.get('location'), record[fields.target]);
      const file = parties.files.find(({ id }) => record[fields.link]!.includes(`/${id}/`));
      if (hasImages) assert.equal(decodeQr(file!.content), url);
    }
  };

  parties.refused.add(`${idPrefix}4`).add('too-much-');
  assert.match((await scene.run(template)).error!, notSaved);
  const errors = records.map((record) => record.fields[fields.error]);
  if (hasImages) assert.match(errors.splice(5, 1, '')[0]!, /./);
  assert.deepEqual(
    errors,
    RECORDS.map(({ expected }) => expected),
  );
  await checkLinks(hasImages ? [1, 5, 7] : [1, 5, 6, 7]);

  // The next run saves what was refused, with the codes that were created for it.
  parties.refused.clear();
  const ids = async () => (await allCodes(scene.client)).map(({ id }) => id).sort();
  const before = await ids();
  assert.equal((await scene.run(template)).error, undefined);
  await checkLinks([1, 4, 5, 6, 7]);
  assert.deepEqual(await ids(), before);
}

const USES: Record<string, (scene: Scene) => Promise<void>> = {
  'crm-deals-to-links': (scene) => fillIn(scene, 'crm-deals-to-links'),
  'airtable-to-drive-images': (scene) => fillIn(scene, 'airtable-to-drive-images'),

  async 'registration-to-ticket'(scene) {
    const { n8n, server, emulator, parties } = scene;
    const workflowId = await scene.setUp('registration-to-ticket');
    await n8n.activate(workflowId);
    const { nodes } = await n8n.workflow(workflowId);
    const formUrl = `${server.url}/form/${nodes.find(({ name }) => name === 'Registration Form')!.webhookId!}`;
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
    assert.deepEqual([ticket!.to.text, ticket!.subject], ['ada@example.com', 'Your ticket']);
    const { publicUrl, slug, id } = code as Record<string, string>;
    const files = ticket!.attachments;
    assert.deepEqual(files.map(({ related = false }) => related).sort(), [false, true]);
    for (const { filename, content } of files)
      assert.deepEqual([filename, decodeQr(content)], [`${slug!}.png`, publicUrl]);
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
      assert.deepEqual([told!.to.text, told!.subject], ['organizer@example.com', `No ticket for ${email}`]);
      assert.match(told!.text, reason);
      assert.ok(told!.text.startsWith(`${name} (${email}) registered`));
    }
    await n8n.deactivate(workflowId);
  },

  async 'daily-scan-report'(scene) {
    const { emulator, parties } = scene;
    const { timezone, midnight } = today(emulator);
    const report = async () => {
      assert.equal((await scene.run('daily-scan-report', { timezone })).error, undefined);
      return only(await parties.mails.take());
    };
    const none = await report();
    assert.equal(none.subject, 'QR codes: 0 scans yesterday');
    assert.match(none.text, /\nAll codes: 0$/);

    await scannedCode(scene, 'Table <4>', { [midnight - DAY - HOUR]: 1, [midnight - DAY]: 2, [midnight]: 1 });
    const deleted = await scannedCode(scene, 'Deleted', { [midnight - HOUR]: 1 });
    emulator.control.delete(deleted.id);
    const some = await report();
    assert.equal(some.subject, 'QR codes: 3 scans yesterday');
    assert.match(some.text, new RegExp(`\nTable <4>: 2\n${deleted.id}: 1$`));
    assert.match(some.html, /Table &lt;4>/);

    emulator.control.failNext({ code: 'invalid_api_key', times: 1 });
    const failed = await report();
    assert.equal(failed.subject, 'QR codes: the report failed');
    assert.match(failed.text, /The scans couldn't be read\. Reason: .*key/);
  },

  async 'check-printed-codes'(scene) {
    const { client, parties } = scene;
    for (const page of ['200', '404', '503'])
      await publishedCode(client, page, `https://example.com/${page}`);
    await publishedCode(client, 'Down', 'http://127.0.0.1:1/');
    assert.equal((await scene.run('check-printed-codes')).error, undefined);
    const message = only(parties.messages.splice(0));
    const [title, ...codes] = message.replaceAll(/http:\/\/\S+(?=\))/g, 'link').split('\n');
    assert.equal(title, 'These codes lead nowhere:');
    assert.deepEqual(codes, [
      '404 (link): 404',
      '503 (link): 503',
      'Down (link): connect ECONNREFUSED 127.0.0.1:1',
    ]);
  },

  async 'scan-milestones'(scene) {
    const { timezone, midnight } = today(scene.emulator);
    await scannedCode(scene, 'Passed', { [midnight - DAY - HOUR]: 99, [midnight - DAY]: 1, [midnight]: 5 });
    await scannedCode(scene, 'Passed before', { [midnight - DAY - HOUR]: 100, [midnight - HOUR]: 1 });
    await scannedCode(scene, 'Not yet', { [midnight - HOUR]: 99, [midnight]: 1 });
    assert.equal((await scene.run('scan-milestones', { timezone })).error, undefined);
    const message = only(scene.parties.messages.splice(0));
    assert.match(message, /^Passed has passed 100 scans: 100 until midnight\. http/);
  },

  async 'image-in-a-cell'(scene) {
    const { sheet, files } = scene.parties;
    sheet.push(
      ['name', 'targetUrl', 'shortLink', 'image', 'error'],
      ['Table 1', 'https://example.com/1', '', '', 'Old error'],
      ['Wrong', 'nowhere', '', '', ''],
      ['Done', 'https://example.com/3', 'https://qr.example/x', '', ''],
    );
    assert.equal((await scene.run('image-in-a-cell')).error, undefined);
    const { id, content, permission } = files.at(-1)!;
    const shortLink = decodeQr(content);
    const image = `=IMAGE("https://drive.google.com/uc?id=${id}&export=download")`;
    assert.deepEqual(permission, { role: 'reader', type: 'anyone', allowFileDiscovery: false });
    assert.deepEqual(
      sheet.slice(1).map((row) => row.slice(2)),
      [
        [shortLink, image, ''],
        ['', '', WRONG_TARGET],
        ['https://qr.example/x', '', ''],
      ],
    );
  },
};

/** Names of the examples that are tested here. */
export const TEMPLATE_NAMES: readonly string[] = Object.keys(USES);

function only<T>(all: readonly T[]): T {
  assert.equal(all.length, 1, String(all));
  return all[0]!;
}

async function startScene(): Promise<Scene> {
  const parties = await startThirdParties();
  const world = await startWorld({}, { env: { ...parties.env, ...WITHOUT_EDITOR } });
  const accounts = new Map<string, CredentialRef>();
  const workflows = new Map<string, string>();
  const setUp: Scene['setUp'] = async (name, settings) => {
    const { pinData: _pinned, ...workflow } = withCredential(exampleFile(name), world.credential);
    for (const node of workflow.nodes) {
      const account = parties.accounts[node.type];
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
      const trigger = exampleFile(name).nodes.find(({ type }) => type.endsWith('Trigger'))!;
      return world.n8n.waitUntilEnded(await world.n8n.run(workflowId, trigger.name));
    },
  };
}
