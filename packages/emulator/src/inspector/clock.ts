import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import type { EmulatorContext } from '../control/context.ts';
import type { Control } from '../control/control.ts';
import type { Env } from '../http/env.ts';
import { problemNotice } from './html/forms.ts';
import type { SendPage } from './html/page.ts';
import { panes } from './html/panes.ts';
import { action, dateTime, definitionList, type Html } from './html/parts.ts';
import { readForm, readUtc, redirectWithNotice } from './routing/form.ts';

/** Milliseconds of each unit. */
const UNITS = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
type Unit = keyof typeof UNITS;

/** `/clock`: shows and moves the emulator's clock. */
export function clockRoutes({ clock }: EmulatorContext, control: Control, send: SendPage): Hono<Env> {
  function show(c: Context<Env>, problem?: string) {
    return send(c, {
      tab: 'Clock',
      status: problem === undefined ? 200 : 422,
      body: panes({
        heading: 'Clock',
        tools: html`<p class="quiet">Times in UTC</p>`,
        list: html`${problemNotice(problem)} ${times(clock.now(), clock.offset())} ${forms(clock.now())}`,
        listPath: '/clock',
      }),
    });
  }

  const routes = new Hono<Env>();
  routes.get('/', (c) => show(c));
  /** Adds a form action that moves the clock. @param work throws TypeError for invalid input */
  const move = (path: string, work: (field: (name: string) => string) => void) =>
    routes.post(path, async (c) => {
      try {
        work(await readForm(c));
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        return show(c, error.message);
      }
      return redirectWithNotice(c, '/clock', 'moved');
    });
  move('/advance', (field) => {
    const unit = UNITS[field('unit') as Unit] as number | undefined;
    const amount = field('amount') === '' ? NaN : Number(field('amount'));
    if (unit === undefined || Number.isNaN(amount))
      throw new TypeError('Enter how far to advance the clock.');
    control.clock.advance(Math.round(amount * unit));
  });
  move('/set', (field) => control.clock.set(readUtc('The time', field('time'))));
  move('/now', () => control.clock.advance(-clock.offset()));
  return routes;
}

function times(now: number, offset: number): Html {
  return html`<section class="panel" aria-label="Time">
    ${definitionList([
      ['Emulator', html`<span id="emulator-time">${dateTime(now)}</span>`],
      ['Real time', dateTime(now - offset)],
      [
        'Difference',
        offset === 0 ? 'none' : `${describeMs(Math.abs(offset))} ${offset > 0 ? 'ahead' : 'behind'}`,
      ],
    ])}
    <p class="quiet">
      As of the latest update of this page; the clock keeps running. When it moves ahead, retries become due,
      keys expire and rate-limit windows end.
    </p>
    ${offset === 0 ? '' : html`<div class="actions">${action('/clock/now', 'Back to now', 'solid')}</div>`}
  </section>`;
}

function forms(now: number): Html {
  return html`<div class="columns">
    <section class="panel" aria-labelledby="advance">
      <h2 id="advance">Advance</h2>
      <form method="post" action="/clock/advance" class="stack">
        <p>
          <label for="amount">By</label>
          <input id="amount" name="amount" type="number" step="any" required value="1" />
        </p>
        <p>
          <label for="unit">Unit</label>
          <select id="unit" name="unit">
            ${Object.keys(UNITS).map(
              (unit) => html`<option ${unit === 'hours' ? html`selected` : ''}>${unit}</option>`,
            )}
          </select>
        </p>
        <p><button class="solid">Advance</button></p>
      </form>
    </section>
    <section class="panel" aria-labelledby="set">
      <h2 id="set">Set</h2>
      <form method="post" action="/clock/set" class="stack">
        <p>
          <label for="time">Time, in UTC</label>
          <input
            id="time"
            name="time"
            type="datetime-local"
            step="1"
            required
            value="${new Date(now).toISOString().slice(0, 16)}"
          />
        </p>
        <p><button class="solid">Set the clock</button></p>
      </form>
    </section>
  </div>`;
}

/** A duration in its two largest units. */
function describeMs(ms: number): string {
  const parts: string[] = [];
  let rest = ms;
  for (const [name, size] of Object.entries(UNITS).toReversed()) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${count === 1 ? name.slice(0, -1) : name}`);
  }
  return parts.slice(0, 2).join(', ') || 'less than a second';
}
