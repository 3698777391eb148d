import { html } from 'hono/html';
import type { Settings } from '../../config/options.ts';
import type { Html } from '../html/parts.ts';

/** The form that changes the workspace's settings. */
export function settingsForm({ allowedDimensions, lowScoreNotices, visibleAfterMs }: Settings): Html {
  return html`<section class="panel" aria-labelledby="settings">
    <h2 id="settings">Settings</h2>
    <form method="post" action="/faults/settings" class="points">
      <p>
        <label for="dimensions">Scan dimensions <span class="quiet">(leave empty for none)</span></label>
        <input id="dimensions" name="dimensions" value="${allowedDimensions.join(', ')}" autocomplete="off" />
      </p>
      <p>
        <label for="notices">Low-score notices</label>
        <select id="notices" name="notices">
          ${['on', 'off'].map(
            (value) =>
              html`<option ${value === (lowScoreNotices ? 'on' : 'off') ? html`selected` : ''}>
                ${value}
              </option>`,
          )}
        </select>
      </p>
      <p>
        <label for="visible-after">Changes show in lists after <span class="quiet">(ms)</span></label>
        <input
          id="visible-after"
          name="visibleAfterMs"
          type="number"
          min="0"
          required
          value="${visibleAfterMs}"
        />
      </p>
      <div class="actions"><button class="solid">Update settings</button></div>
    </form>
  </section>`;
}

/** Reads the form. */
export function readSettingsForm(field: (name: string) => string): Settings {
  const names = field('dimensions')
    .split(',')
    .map((name) => name.trim());
  return {
    allowedDimensions: names.filter((name) => name !== ''),
    lowScoreNotices: field('notices') !== 'off',
    visibleAfterMs: field('visibleAfterMs') === '' ? NaN : Number(field('visibleAfterMs')),
  };
}
