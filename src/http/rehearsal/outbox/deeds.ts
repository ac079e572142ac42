// Tells programs which mails members of their tenant would have got.
import { isoTime } from '../../../core/access/iso-time.ts';
import { someOf, text } from '../../../operations/json-schema.ts';
import type { Deps } from '../../deps.ts';
import { type Deed, DeedRefused, deed } from '../deeds.ts';
import { listMails } from './mails.ts';

/** GET /rehearsal/mails?to=…: the newest, newest first. @param catchUp lets those leave that wait */
export const mailDeeds = (
  { outbox }: Pick<Deps, 'outbox'>,
  catchUp: (passed: number) => Promise<void>,
): readonly Deed[] => [
  deed({
    method: 'GET',
    path: '/mails',
    fields: someOf('Which mails', { to: text('A part of the address or of the subject', 'ada@example.com') }),
    async run({ to = '' }, { tenant }) {
      if (outbox === null) throw new DeedRefused('this start sends its mails');
      await catchUp(0);
      const mails = await listMails({ outbox, tenantId: tenant.id }, to);
      return {
        mails: mails.map(({ sentAt, html: _, language = null, ...mail }) => ({
          ...mail,
          language,
          sentAt: isoTime(sentAt),
        })),
      };
    },
  }),
];
