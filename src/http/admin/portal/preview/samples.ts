// What previews of a tenant's pages show: pages and a mail with made-up members, in the data that their templates take.
import type { Tenant } from '../../../../core/tenant.ts';
import type { Language } from '../../../../text/language.ts';

/** A page of members about to be drawn. */
interface Sample {
  /** The template below `templates/`. */
  readonly template: string;
  /** Key of its title. */
  readonly title: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The pages that a preview can show, in the order of a member's way; the mail has no template of a page. */
export const surfaces = ['sign-in', 'tv', 'mail'] as const;
export type Surface = (typeof surfaces)[number];

/** Whose page it is: an app of the same name asks. */
type Named = Pick<Tenant, 'name'>;

const member = { fullName: 'Ada Nilsen', email: 'ada@example.com' };

const samples: Readonly<Record<Exclude<Surface, 'mail'>, (language: Language, tenant: Named) => Sample>> = {
  'sign-in': ({ t }, { name }) => ({
    template: 'members/sign-in-page.eta',
    title: 'signIn.title',
    data: {
      client: name,
      logo: null,
      lead: t('signIn.lead', { client: name }),
      recover: '#',
      signUp: '#',
      flow: '',
      email: '',
    },
  }),
  tv: ({ t }, { name }) => ({
    template: 'members/device/approve.eta',
    title: 'device.approve.title',
    data: {
      client: name,
      logo: null,
      userCode: '417 902',
      scopes: [],
      email: member.email,
      reported: [
        { label: t('device.approve.name'), value: 'Living room' },
        { label: t('device.approve.model'), value: 'Vision 9000' },
      ],
      observed: [
        { label: t('device.approve.address'), value: '192.0.2.7' },
        { label: t('device.approve.time'), value: t('device.approve.asked', { minutes: 0 }) },
      ],
      confirm: '',
    },
  }),
};

/** A page as a preview shows it. */
export const sampleOf = (surface: Exclude<Surface, 'mail'>, language: Language, tenant: Named): Sample =>
  samples[surface](language, tenant);

/** The mail that a preview shows: one with facts, a button and a greeting. */
export const sampleMail = {
  name: 'subscribed',
  to: member.email,
  values: { fullName: member.fullName, package: 'Everything', price: 'NOK 149.00' },
  link: 'https://example.com/account',
} as const;
