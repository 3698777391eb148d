import { html } from 'hono/html';
import { emptyState, type Html } from './parts.ts';

/** A filter with choices. */
interface FilterChoice {
  /** Name of the URL parameter. */
  name: string;
  label: string;
  choices: readonly string[];
}

/**
 * The form that filters a list: a search field and choices. It works without JavaScript, and the filtered page has its own
 * address.
 * @param path path of the list
 * @param set the filters that are set
 */
export function filterBar(
  path: string,
  what: string,
  filters: readonly FilterChoice[],
  set: Readonly<Record<string, string>>,
): Html {
  return html`<form method="get" action="${path}" class="filter" role="search" aria-label="Filter">
    <p class="search">
      <label for="filter-q">Search</label>
      <input
        id="filter-q"
        name="q"
        type="search"
        maxlength="200"
        value="${set['q'] ?? ''}"
        placeholder="${what}"
      />
    </p>
    ${filters.map(({ name, label, choices }) => {
      const chosen = set[name] ?? '';
      const known = chosen === '' || choices.includes(chosen) ? choices : [...choices, chosen];
      return html`<p>
        <label for="filter-${name}">${label}</label>
        <select id="filter-${name}" name="${name}">
          <option value="">any</option>
          ${known.map((value) => html`<option ${value === chosen ? html`selected` : ''}>${value}</option>`)}
        </select>
      </p>`;
    })}
    <p class="actions">
      <button>Filter</button>
      ${Object.keys(set).length === 0 ? '' : html`<a class="button" href="${path}">Clear</a>`}
    </p>
  </form>`;
}

/** Placeholder for a list in which nothing matches the filters. */
export function noMatches(what: string, path: string): Html {
  return emptyState(
    `No ${what} match these filters.`,
    html`<p><a class="button" href="${path}">Clear the filters</a></p>`,
  );
}
