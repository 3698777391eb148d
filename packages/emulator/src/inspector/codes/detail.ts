import { IMAGE_FORMATS } from '@qr-service/core/connector';
import { html } from 'hono/html';
import { LOW_SCORE_THRESHOLD, SCORES } from '../../domain/feedback.ts';
import type { QrRecord } from '../../store/records.ts';
import { action, confirmedAction, copyButton, dateTime, definitionList, type Html } from '../html/parts.ts';
import { codeBadges } from './list.ts';

/** A code with all its actions. @param link its short link */
export function codeDetail(code: QrRecord, link: string): { heading: string; body: Html } {
  const path = `/codes/${code.id}`;
  return {
    heading: code.name,
    body: html`<div class="code-head">
        <img class="symbol" src="${path}/image.svg" alt="QR code of ${link}" width="200" height="200" />
        <div>
          <p>${codeBadges(code)}</p>
          <p class="break">
            <a href="${link}" target="_blank" rel="noopener noreferrer">${link}</a>
            ${copyButton(link, 'short link')}
          </p>
          <p class="quiet break">→ ${code.targetUrl}</p>
          <div class="actions">${stateActions(code, path, link)}</div>
          <p class="quiet">
            Image: ${IMAGE_FORMATS.map((format) => html`<a href="${path}/image.${format}">${format}</a> `)}
          </p>
        </div>
      </div>
      <h3>Edit</h3>
      <form method="post" action="${path}/retarget" class="field">
        <label for="retarget">Destination</label>
        <input id="retarget" name="url" type="url" required maxlength="2048" value="${code.targetUrl}" />
        <button>Update</button>
      </form>
      <form method="post" action="${path}/rename" class="field">
        <label for="rename">Name</label>
        <input id="rename" name="name" required maxlength="200" value="${code.name}" autocomplete="off" />
        <button>Rename</button>
      </form>
      <h3>Review</h3>
      <div class="actions">${action(`${path}/approve`, 'Approve')} ${action(`${path}/reject`, 'Reject')}</div>
      <h3>Feedback form</h3>
      <form method="post" action="${path}/feedback">
        <fieldset class="scores">
          <legend>Submit a score. Scores below ${LOW_SCORE_THRESHOLD} also fire the low-score event.</legend>
          ${scores().map(
            (score) =>
              html`<button name="score" value="${score}" aria-label="Submit score ${score}">
                ${score}
              </button>`,
          )}
        </fieldset>
      </form>
      <h3>Details</h3>
      ${definitionList([
        ['ID', html`<code>${code.id}</code> ${copyButton(code.id, 'ID')}`],
        ['Slug', html`<code>${code.slug}</code>`],
        ['Mode', code.mode],
        ['Content', code.contentType],
        ['Approval', code.approvalState],
        ['Updated', dateTime(code.updatedAt)],
      ])}
      ${confirmedAction(
        `${path}/delete`,
        'Delete',
        'This deletes the code permanently. Its short link stops working.',
        'delete',
      )}`,
  };
}

function stateActions({ status }: QrRecord, path: string, link: string): Html {
  if (status === 'archived') return action(`${path}/restore`, 'Unarchive');
  if (status === 'draft')
    return html`${action(`${path}/publish`, 'Publish', 'solid')} ${action(`${path}/archive`, 'Archive')}`;
  return html`<a class="button solid" href="${link}" target="_blank" rel="noopener noreferrer"
      >Open short link<span class="sr"> (opens in a new tab and counts as a scan)</span></a
    >
    ${action(`${path}/archive`, 'Archive')}`;
}

function scores(): number[] {
  return Array.from({ length: SCORES.max - SCORES.min + 1 }, (_, index) => SCORES.min + index);
}
