import { html } from 'hono/html';
import type { QrRecord } from '../../store/records.ts';
import { createPanel } from '../html/forms.ts';
import { badge, emptyState, type Html, type Tone } from '../html/parts.ts';

const TONES: Record<QrRecord['status'], Tone> = { draft: 'idle', published: 'good', archived: 'warn' };

/** A code's status, and the outcome of its review if there was one. */
export function codeBadges({ status, approvalState }: QrRecord): Html {
  const reviewed = approvalState === 'approved' || approvalState === 'rejected';
  return html`${badge(status, TONES[status])}
  ${reviewed ? badge(approvalState, approvalState === 'approved' ? 'good' : 'bad') : ''}`;
}

/** Codes as cards. @param link returns a code's short link, `pathOf` the path of its details */
export function codeList(
  codes: readonly QrRecord[],
  link: (code: QrRecord) => string,
  pathOf: (code: QrRecord) => string,
  openId: string | undefined,
): Html {
  if (codes.length === 0) return emptyState('No codes yet. Create one here or through the API.');
  return html`<ul class="cards">
    ${codes.map(
      (code) =>
        html`<li id="row-${code.id}" class="card ${code.id === openId ? 'current' : ''}">
          <img src="/codes/${code.id}/image.svg" alt="" width="72" height="72" loading="lazy" />
          <div>
            <p class="card-title">
              <a
                class="row-link"
                href="${pathOf(code)}"
                ${code.id === openId ? html`aria-current="true"` : ''}
                >${code.name}</a
              >
            </p>
            <p>${codeBadges(code)}</p>
            <p class="quiet clip">${withoutScheme(link(code))}</p>
            <p class="quiet clip">→ ${withoutScheme(code.targetUrl)}</p>
          </div>
        </li>`,
    )}
  </ul>`;
}

/** The form that creates a code. */
export function createForm(): Html {
  return createPanel(
    'New code',
    '/codes',
    undefined,
    html`<p>
        <label for="create-name">Name</label>
        <input id="create-name" name="name" required maxlength="200" autocomplete="off" />
      </p>
      <p>
        <label for="create-target">Destination</label>
        <input
          id="create-target"
          name="targetUrl"
          type="url"
          required
          maxlength="2048"
          placeholder="https://example.com/menu"
        />
      </p>
      <p class="check">
        <input id="create-publish" name="publish" type="checkbox" value="yes" checked />
        <label for="create-publish">Publish immediately</label>
      </p>`,
  );
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '');
}
