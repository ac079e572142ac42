// What a preview can show: pages and mails, each by a name of its own.
import { type MailName, mailNames } from '../../../../operations/mail/mail.ts';
import { say } from '../../../../text/portal.ts';
import { type PageSurface, pageSurfaces } from './samples.ts';

/** A page or a mail. */
export type Surface = { readonly name: string } & (
  | { readonly page: PageSurface }
  | { readonly mail: MailName }
);

/** All of them, the pages first. */
export const surfaces: readonly Surface[] = [
  ...pageSurfaces.map((page) => ({ name: page, page })),
  ...mailNames.map((mail) => ({ name: `mail-${mail}`, mail })),
];

export const labelOfSurface = (surface: Surface) =>
  'mail' in surface ? say(`mailName.${surface.mail}`) : say(`preview.${surface.page}`);
