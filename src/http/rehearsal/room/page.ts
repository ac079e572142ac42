// Renders and sends the pages of the room: their own style and script, and a policy under which the script may ask us.
import type { FastifyReply } from 'fastify';
import { pageHeaders } from '../../headers.ts';
import { styleSheet } from '../../pages/assets.ts';
import { brandOf } from '../../pages/brand.ts';
import { roomScript } from './script.ts';
import { word } from './words.ts';

const style = styleSheet(
  ...['shell', 'panes', 'wire', 'steps', 'chart', 'card'].map((part) => `rehearsal/${part}.css`),
);

/** A page of the room about to be sent. */
export interface RoomPage {
  /** The template below `templates/rehearsal/`, without its ending. */
  readonly template: string;
  /** Key of the title's text. */
  readonly title: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export async function sendRoomPage(reply: FastifyReply, { template, title, data }: RoomPage) {
  const { tenant } = reply.request;
  const { text, hash } = style(tenant);
  const headers = pageHeaders(hash, [], { framesOwn: true, asksOwn: true });
  const html = await reply.viewAsync(`rehearsal/${template}.eta`, {
    t: word,
    tenant: brandOf(tenant),
    heading: word(title),
    title: `${word(title)} – ${tenant.name}`,
    icon: brandOf(tenant).icon,
    lang: 'en',
    dir: 'ltr',
    style: text,
    scriptUrl: roomScript.url,
    ...data,
  });
  return reply
    .headers({
      'cache-control': 'no-store',
      'content-language': 'en',
      ...headers,
    })
    .type('text/html; charset=utf-8')
    .send(html);
}
