import { generateKeyPairSync } from 'node:crypto';
import type { IDataObject, INode } from 'n8n-workflow';
import { startMailServer, type MailServer } from './mailServer.ts';
import { startTlsProxy, type Respond } from './tlsProxy.ts';

type Request = Parameters<Respond>[0];

/** A record of HubSpot or Airtable. */
interface ThirdPartyRecord {
  id: string;
  fields: Record<string, string>;
}

/** An account that a node needs. */
interface Account {
  type: string;
  data: IDataObject;
  /** What the node has to be set to. */
  parameters?: INode['parameters'];
}

/** HubSpot, Airtable, Google, Slack, a web site and a mail server, as far as the templates use them. */
export interface ThirdParties {
  /** Environment variables for n8n. */
  readonly env: Record<string, string>;
  /** Accounts, by the types of the nodes that need them. */
  readonly accounts: Record<string, Account>;
  /** Deals of HubSpot. */
  deals: ThirdPartyRecord[];
  /** Records of Airtable. */
  records: ThirdPartyRecord[];
  /** Files in Google Drive. */
  files: { id: string; name: string; content: Buffer; permission?: unknown }[];
  /** Rows in Google Sheets, the first with the names of the columns. */
  sheet: string[][];
  /** Texts sent to Slack. */
  messages: string[];
  /** IDs of deals and records that can't be saved, and beginnings of the names of files that can't be uploaded. */
  refused: Set<string>;
  mails: MailServer;
  stop(): Promise<void>;
}

/** Starts stand-ins for the services of the templates. n8n's own nodes send to them what they send to the services. */
export async function startThirdParties(): Promise<ThirdParties> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const google: Account = {
    type: 'googleApi',
    data: { email: 'robot@example.com', privateKey },
    // OAuth needs a person who consents.
    parameters: { authentication: 'serviceAccount' },
  };
  const mails = await startMailServer();
  const smtp = { host: '127.0.0.1', port: mails.port, secure: false, disableStartTls: true };
  const state = { deals: [], records: [], files: [], sheet: [], messages: [], refused: new Set<string>() };
  const hosts: Record<string, Respond> = {
    'api.hubapi.com': (request) => hubspot(world, request),
    'api.airtable.com': (request) => airtable(world, request),
    'oauth2.googleapis.com': () => ({
      body: { access_token: 'test-token', expires_in: 3600, token_type: 'Bearer' },
    }),
    'www.googleapis.com': (request) => drive(world, request),
    'sheets.googleapis.com': (request) => sheets(world, request),
    'slack.com': ({ body }) => {
      world.messages.push((JSON.parse(body.toString()) as { text: string }).text);
      return { body: { ok: true } };
    },
    // Responds with an error if the path names one.
    'example.com': ({ url }) => ({ status: Number(/[45]\d\d$/.exec(url.pathname)?.[0] ?? 200), body: {} }),
  };
  const proxy = await startTlsProxy(Object.keys(hosts), (request) => hosts[request.host]?.(request));
  const world: ThirdParties = {
    ...state,
    env: proxy.env,
    accounts: {
      'n8n-nodes-base.emailSend': { type: 'smtp', data: smtp },
      'n8n-nodes-base.hubspot': { type: 'hubspotAppToken', data: { appToken: 'test-token' } },
      'n8n-nodes-base.airtable': { type: 'airtableTokenApi', data: { accessToken: 'test-token' } },
      'n8n-nodes-base.googleDrive': google,
      'n8n-nodes-base.googleSheets': google,
      'n8n-nodes-base.slack': {
        type: 'slackApi',
        data: { accessToken: 'test-token' },
        parameters: { authentication: 'accessToken' },
      },
    },
    mails,
    stop: async () => {
      await proxy.close();
      await mails.close();
    },
  };
  return world;
}

function hubspot({ deals, refused }: ThirdParties, { method, url, body }: Request): ReturnType<Respond> {
  const { filterGroups, properties } = JSON.parse(body.toString()) as {
    filterGroups: { filters: { propertyName: string; operator: string }[] }[];
    properties: { name: string; value: string }[];
  };
  if (url.pathname === '/crm/v3/objects/deals/search') {
    const found = deals.filter(({ fields }) =>
      filterGroups.some(({ filters }) =>
        filters.every(
          ({ propertyName, operator }) => (operator === 'HAS_PROPERTY') === Boolean(fields[propertyName]),
        ),
      ),
    );
    return { body: { results: found.map(({ id, fields }) => ({ id, properties: fields })) } };
  }
  const deal = deals.find(({ id }) => url.pathname === `/deals/v1/deal/${id}`);
  if (method !== 'PUT' || deal === undefined) return undefined;
  if (refused.has(deal.id)) return { status: 400, body: { status: 'error', message: 'The deal is locked' } };
  for (const { name, value } of properties) deal.fields[name] = value;
  return { body: { dealId: Number(deal.id) } };
}

/** The only formula that the stand-in knows. */
const FORMULA = 'AND({Target URL}, NOT({Image Link}))';

function airtable({ records, refused }: ThirdParties, { method, url, body }: Request): ReturnType<Respond> {
  const createdTime = '2026-01-15T09:00:00.000Z';
  if (method === 'GET' && url.searchParams.get('filterByFormula') === FORMULA) {
    const found = records.filter(({ fields }) => fields['Target URL'] && !fields['Image Link']);
    return { body: { records: found.map((record) => ({ createdTime, ...record })) } };
  }
  if (method !== 'PATCH') return undefined;
  const [change] = (JSON.parse(body.toString()) as { records: ThirdPartyRecord[] }).records;
  const record = records.find(({ id }) => id === change?.id);
  if (record === undefined) return undefined;
  if (refused.has(record.id))
    return { status: 422, body: { error: { type: 'LOCKED', message: 'The record is locked' } } };
  Object.assign(record.fields, change!.fields);
  return { body: { records: [{ createdTime, ...record }] } };
}

/** Reads a sheet, and updates single cells as if a person had entered the values. */
function sheets({ sheet }: ThirdParties, { method, url, body }: Request): ReturnType<Respond> {
  if (method === 'GET' && url.pathname.includes('/values/')) return { body: { values: sheet } };
  if (method === 'GET') return { body: { sheets: [{ properties: { sheetId: 0, title: 'Codes' } }] } };
  const { valueInputOption, data } = JSON.parse(body.toString()) as {
    valueInputOption: string;
    data: { range: string; values: [[string]] }[];
  };
  if (valueInputOption !== 'USER_ENTERED') return undefined;
  for (const { range, values } of data) {
    const [column, row] = range.split('!')[1]!.split(/(?<=[A-Z])/) as [string, string];
    sheet[Number(row) - 1]!['ABCDE'.indexOf(column)] = values[0][0];
  }
  return { body: {} };
}

/** A resumable upload: first the file's name, then its content. A file can then be shared. */
function drive({ files, refused }: ThirdParties, { method, url, body }: Request): ReturnType<Respond> {
  if (method === 'POST' && url.pathname === '/upload/drive/v3/files') {
    const { name } = JSON.parse(body.toString()) as { name: string };
    if ([...refused].some((prefix) => name.startsWith(prefix)))
      return { status: 403, body: { error: { message: 'The storage is full', code: 403 } } };
    const id = `file${files.length + 1}`;
    files.push({ id, name, content: Buffer.alloc(0) });
    return { headers: { Location: `https://${url.host}/upload/${id}` }, body: {} };
  }
  const file = files.find(({ id }) => url.pathname.split('/').includes(id));
  if (file === undefined) return undefined;
  const { id, name } = file;
  if (method === 'PUT') {
    file.content = Buffer.concat([file.content, body]);
    return { body: { id } };
  }
  if (url.pathname.endsWith('/permissions')) {
    file.permission = JSON.parse(body.toString());
    return { body: { id: 'anyoneWithLink' } };
  }
  const links = {
    webViewLink: `https://drive.google.com/file/d/${id}/view`,
    webContentLink: `https://drive.google.com/uc?id=${id}&export=download`,
  };
  return { body: { id, name, ...(url.searchParams.get('fields') === '*' ? links : {}) } };
}
