import { html } from 'hono/html';
import type { Html } from './parts.ts';

/** A column. `wide` columns are hidden on small screens, because the row's details show their values, too. */
interface Column {
  name: string;
  wide?: boolean;
  /** Right-aligned figures. */
  number?: boolean;
}

/** A row: its id, whether its details are open, and a cell per column. */
export interface Row {
  id: string;
  isOpen?: boolean;
  cells: readonly (Html | string)[];
}

/** A table with a caption for screen readers. */
export function table(caption: string, columns: readonly Column[], rows: readonly Row[]): Html {
  const classes = columns.map(({ wide, number }) =>
    [wide === true && 'wide', number === true && 'number'].filter(Boolean).join(' '),
  );
  return html`<table>
    <caption class="sr">
      ${caption}
    </caption>
    <thead>
      <tr>
        ${columns.map(({ name }, index) => html`<th scope="col" class="${classes[index]}">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ id, isOpen, cells }) =>
          html`<tr id="row-${id}" class="${isOpen === true ? 'current' : ''}">
            ${cells.map((cell, index) => html`<td class="${classes[index]}">${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** The link from a row to its details. The whole row is clickable. */
export function rowLink(path: string, isOpen: boolean, text: Html | string): Html {
  return html`<a class="row-link" href="${path}" ${isOpen ? html`aria-current="true"` : ''}>${text}</a>`;
}
