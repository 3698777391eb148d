import type {
  EmulatorOptions,
  ResponseDraft,
  RewriteResponse,
  SeenRequest,
  Settings,
} from 'qr-service-emulator';

/** Forms of the responses that docs/api.md leaves open. Each has a default, the form of the emulator. */
interface WireForms {
  /** Name of the array of rows. Default `data`. */
  listKey?: string;
  /** Whether the rows are nested in `data`: `{ data: { items }, pagination }`. */
  listNested?: boolean;
  /** `nextCursor` on the last page; a feed ends with an empty page that returns the cursor it was requested with. */
  listEnd?: 'null' | 'empty' | 'missing' | 'feed';
  /** Name of the object in which a single code is nested. Default: none. */
  record?: string;
  /** Responses to publish and destination: the code, 204, `{ ok: true }`, or `{ ok: true, qr }`. */
  change?: (typeof CHANGES)[number];
  /** Name of the field with the signing secret. Default `secret`. */
  secretKey?: string;
  /** Name of the object in which a new subscription is nested, and whether the secret is beside it. */
  subscription?: { name: string; secret: 'inside' | 'beside' };
  /** Response to `GET /me`: `{ workspace: { id, name } }`, `{ workspaceId, … }`, or nested in `data`. */
  account?: 'nested' | 'flat' | 'wrapped';
  /** Whether rows of `GET /scans` have an ID. Default true. */
  scanIds?: boolean;
  /**
   * Whether a code has `content: { targetUrl }`, which isn't documented (docs/api.md#qr-codes). A stale one keeps the
   * destination that the code was created with.
   */
  content?: 'none' | 'current' | 'stale';
  /** Unit of X-RateLimit-Reset: seconds from now, or a point in time. */
  reset?: 'seconds' | 'epoch seconds' | 'epoch milliseconds';
}

/** Responses to publish and destination. */
export const CHANGES = ['summary', 'empty', 'ok', 'wrapped'] as const;

/** A service in one form for each point that docs/api.md leaves open. */
export type WireShape = WireForms & Partial<Settings>;

/** Wire shapes that together cover every form of every open point of docs/api.md. */
export const WIRE_SHAPES: readonly [name: string, shape: WireShape][] = [
  ['rows under data, with defaults for the rest', {}],
  [
    'rows under items, newest first',
    {
      listKey: 'items',
      listEnd: 'empty',
      listOrder: 'descending',
      listSince: 'exclusive',
      maxLimit: 50,
      record: 'qr',
      change: 'empty',
      secretKey: 'signingSecret',
      subscription: { name: 'subscription', secret: 'inside' },
      unsubscribe: 200,
      account: 'flat',
      scanIds: false,
      reset: 'epoch seconds',
    },
  ],
  [
    'rows under data.results by ID',
    {
      listKey: 'results',
      listNested: true,
      listEnd: 'missing',
      listOrder: 'id',
      listSince: 'exclusive',
      record: 'data',
      change: 'ok',
      secretKey: 'signing_secret',
      subscription: { name: 'subscription', secret: 'beside' },
      unsubscribe: 404,
      account: 'wrapped',
      scanIds: false,
      reset: 'epoch milliseconds',
    },
  ],
  [
    "rows under any name, subscriptions can't be removed, keys ignored",
    {
      listKey: 'records',
      listEnd: 'missing',
      listOrder: 'descending',
      maxLimit: 50,
      record: 'code',
      change: 'wrapped',
      secretKey: 'webhookSecret',
      unsubscribe: 405,
      idempotency: 'ignored',
    },
  ],
  ['both lists as feeds', { listEnd: 'feed', unsubscribe: 410, idempotency: 'refusals not replayed' }],
];

/** The options of an emulator in a wire shape. */
export function shaped(shape: WireShape): EmulatorOptions {
  return { ...behaviorOf(shape), rewriteResponse: rewriteAs(() => shape) };
}

/** A wire shape that can be changed while the emulator runs. */
export function changingShape() {
  let current: WireShape = {};
  return {
    options: { rewriteResponse: rewriteAs(() => current) } satisfies EmulatorOptions,
    /** Changes every form to that of the shape, or to the default. */
    set(control: { changeSettings: (settings: Partial<Settings>) => void }, shape: WireShape): void {
      current = shape;
      control.changeSettings({ ...DEFAULT_BEHAVIOR, ...behaviorOf(shape) });
    },
  };
}

const DEFAULT_BEHAVIOR: Partial<Settings> = {
  listOrder: 'ascending',
  listSince: 'inclusive',
  maxLimit: 100,
  idempotency: 'replayed',
  unsubscribe: 204,
  readLagMs: 0,
};

function behaviorOf(shape: WireShape): Partial<Settings> {
  const names = Object.keys(DEFAULT_BEHAVIOR) as (keyof WireShape)[];
  return Object.fromEntries(names.filter((name) => name in shape).map((name) => [name, shape[name]]));
}

type Json = Record<string, unknown>;

/** Cursor of a feed after its last row. */
const END = 'end';

/** Rewrites responses to be in the forms of a wire shape. */
function rewriteAs(formsNow: () => WireForms): RewriteResponse {
  const addContent = contentAdder();
  return (draft, request) => {
    const { method, path, query } = request;
    const forms = formsNow();
    addContent(forms.content, draft, request);
    const route = `${method} ${path.replace(/^\/qr\/[^/]+/, '/qr/*')}`;
    resetIn(forms, draft);
    if (forms.listEnd === 'feed' && query.get('cursor') === END)
      Object.assign(draft, { status: 200, json: { data: [], pagination: { nextCursor: END } } });
    if (draft.status >= 300) return draft;
    const json = draft.json as Json;
    if (route === 'GET /qr' || route === 'GET /scans') draft.json = listIn(forms, json);
    if (route === 'POST /qr' || route === 'GET /qr/*') draft.json = nested(forms.record, json);
    if (route === 'POST /qr/*/publish' || route === 'POST /qr/*/destination') changeIn(forms, draft, json);
    if (route === 'POST /webhooks') draft.json = subscriptionIn(forms, json);
    if (route === 'GET /me') draft.json = accountIn(forms, json);
    return draft;
  };
}

function resetIn({ reset = 'seconds' }: WireForms, { headers }: ResponseDraft): void {
  const at = Date.parse(headers['date'] ?? '') / 1000 + Number(headers['x-ratelimit-reset']);
  if (reset === 'epoch seconds') headers['x-ratelimit-reset'] = String(at);
  if (reset === 'epoch milliseconds') headers['x-ratelimit-reset'] = String(at * 1000);
}

function listIn(
  { listKey = 'data', listNested, listEnd = 'null', scanIds = true }: WireForms,
  json: Json,
): Json {
  const { data, pagination, ...rest } = json as { data: Json[]; pagination: { nextCursor: string | null } };
  const rows = data.map(({ id, ...row }) => (!scanIds && 'scannedAt' in row ? row : { id, ...row }));
  const ends = {
    null: { nextCursor: null },
    empty: { nextCursor: '' },
    missing: {},
    feed: { nextCursor: END },
  };
  const named = { [listKey]: rows };
  return {
    ...(listNested === true ? { data: named } : named),
    ...rest,
    pagination: pagination.nextCursor === null ? ends[listEnd] : pagination,
  };
}

function changeIn({ change = 'summary', record }: WireForms, draft: ResponseDraft, qr: Json): void {
  const forms = {
    summary: nested(record, qr),
    ok: { ok: true },
    wrapped: { ok: true, qr },
    empty: undefined,
  };
  draft.json = forms[change];
  if (change === 'empty') Object.assign(draft, { status: 204, bytes: Buffer.alloc(0) });
}

function subscriptionIn(
  { secretKey = 'secret', subscription }: WireForms,
  { secret, ...record }: Json,
): Json {
  const named = { [secretKey]: secret };
  if (subscription === undefined) return { ...record, ...named };
  const { name, secret: place } = subscription;
  return place === 'inside' ? { [name]: { ...record, ...named } } : { [name]: record, ...named };
}

function accountIn({ account = 'nested' }: WireForms, json: Json): Json {
  if (account === 'nested') return json;
  if (account === 'wrapped') return { data: json };
  const { workspace, scopes, key } = json as { workspace: Json; scopes: unknown; key: Json };
  return { workspaceId: workspace['id'], workspaceName: workspace['name'], scopes, keyName: key['name'] };
}

function nested(name: string | undefined, json: Json): Json {
  return name === undefined ? json : { [name]: json };
}

/** Gives codes their content: where each one points is known from the requests. */
function contentAdder(): (content: WireForms['content'], draft: ResponseDraft, request: SeenRequest) => void {
  const targets = new Map<unknown, string>();
  return (content = 'none', draft, { method, path, body }) => {
    const id = (draft.json as Json | undefined)?.['id'] ?? path.split('/')[2];
    if (method === 'POST' && draft.status < 300) {
      const { content: created, url } = JSON.parse(body || '{}') as { content?: Json; url?: string };
      if (path === '/qr') targets.set(id, String(created?.['targetUrl']));
      if (path.endsWith('/destination') && content !== 'stale') targets.set(id, String(url));
    }
    if (content === 'none' || draft.json === undefined) return;
    draft.json = JSON.parse(JSON.stringify(draft.json), (_key, value: unknown) => {
      const targetUrl = targets.get((value as Json | null)?.['id']);
      return targetUrl === undefined ? value : { ...(value as Json), content: { targetUrl } };
    });
  };
}
