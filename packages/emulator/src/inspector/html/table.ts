import { html } from 'hono/html';
import type { Html } from './parts.ts';

/** A column; `wide` ones are left out where there is little room, and stand in the row's details anyway. */
export interface Column {
  name: string;
  wide?: boolean;
  /** Right-aligned figures. */
  number?: boolean;
}

/** A row: its id, whether its details are open, and a cell a column. */
export interface Row {
  id: string;
  isOpen?: boolean;
  cells: readonly (Html | string)[];
}

/** A table with a caption for those who don't see it. */
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

/** The link of a row to its details; all of the row leads there. */
export function rowLink(path: string, isOpen: boolean, text: Html | string): Html {
  return html`<a class="row-link" href="${path}" ${isOpen ? html`aria-current="true"` : ''}>${text}</a>`;
}
