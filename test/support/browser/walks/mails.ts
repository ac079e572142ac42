// Every mail as its reader's program shows it, each at an address of its own.
import type { Tenant } from '../../../../src/core/tenant.ts';
import { composeMail, mailNames } from '../../../../src/operations/mail/mail.ts';
import { fullMails } from '../../mails/mails.ts';
import { startApp, type TestApp } from '../app.ts';

/** Serves every mail of a tenant, in a language, as `/{name}-{language}`. */
export function startMailReader(tenant: Tenant, languages: readonly string[]): Promise<TestApp> {
  const link = `${tenant.issuer}/account/devices/not-me/a-rather-long-secret-that-no-line-of-a-phone-can-hold`;
  const files = languages.flatMap((language) =>
    mailNames.map((name) => {
      const mail = { name, to: 'grace@mail.test', language, link, ...fullMails[name] };
      const { html, logo } = composeMail(tenant, mail);
      const picture = logo === null ? '' : `data:${logo.type};base64,${logo.base64}`;
      const body = logo === null ? html : html.replaceAll(`cid:${logo.id}`, picture);
      return [`/${name}-${language}`, { type: 'text/html; charset=utf-8', body }] as const;
    }),
  );
  return startApp(Object.fromEntries(files));
}
