// The members of the development tenants.
import type { CustomPropertyValues } from '../../core/access/custom-property.ts';
import type { Address, Member } from '../../core/members/member.ts';
import type { developmentPackages } from './access.ts';

/** A subscription, its times in days from the first start. */
export interface DevelopmentSubscription {
  readonly package: keyof typeof developmentPackages;
  readonly createdDays: number;
  readonly activatedDays: number;
  readonly expiresDays: number;
  readonly properties?: CustomPropertyValues;
}

export interface DevelopmentMember
  extends Pick<Member, 'email' | 'fullName'>,
    Partial<Pick<Member, 'nickName' | 'phone' | 'avatar' | 'locale' | 'userType' | 'status'>> {
  readonly address?: Partial<Address>;
  readonly subscriptions?: readonly DevelopmentSubscription[];
}

/** The password of every member of the development start. */
export const developmentPassword = 'memberdoor-development';

const running = (name: DevelopmentSubscription['package']): DevelopmentSubscription => ({
  package: name,
  createdDays: -40,
  activatedDays: -30,
  expiresDays: 335,
});

export const developmentMembers: readonly DevelopmentMember[] = [
  {
    email: 'ada@example.com',
    fullName: 'Ada Nilsen',
    nickName: 'Ada',
    phone: '+4791234567',
    address: {
      line1: 'Storgata 1',
      city: 'Oslo',
      postCode: '0155',
      postOffice: 'Oslo',
      country: 'NO',
      name: 'Ada Nilsen',
      email: 'ada@example.com',
    },
    subscriptions: [
      { ...running('everything'), properties: { seats: 2, source: 'spring campaign' } },
      running('news'),
    ],
  },
  {
    email: 'bo@example.com',
    fullName: 'Bo Berg',
    nickName: 'Bo',
    phone: '+46701740605',
    address: { country: 'SE' },
  },
  {
    email: 'cy@example.com',
    fullName: 'Cy Young',
    phone: '+12025550123',
    address: { country: 'US' },
    subscriptions: [
      { package: 'everything', createdDays: -400, activatedDays: -366, expiresDays: -1 },
      { package: 'news', createdDays: -2, activatedDays: 1, expiresDays: 366 },
    ],
  },
  {
    email: 'dee@example.com',
    fullName: 'Dee 🦊 Fox',
    phone: '+442079460958',
    subscriptions: [
      {
        ...running('everything'),
        properties: {
          shoeSize: 42.5,
          visits: 0,
          motto: 'Always "on" time',
          renewedAt: '2026-01-31T23:59:59.999Z',
        },
      },
    ],
  },
  {
    email: 'eve@example.com',
    fullName: 'Eve Moor',
    phone: '+442079460123',
    status: 'disabled',
    subscriptions: [running('news')],
  },
  {
    email: 'tina@example.com',
    fullName: 'Tina Admin',
    phone: '+4740000001',
    address: { country: 'NO' },
    userType: 'tenant_admin',
  },
  {
    email: 'sam@example.com',
    fullName: 'Sam Admin',
    phone: '+4740000002',
    address: { country: 'NO' },
    userType: 'system_admin',
  },
  {
    email: 'finn@example.com',
    fullName: 'Finn Åsgård Müller-Çelik',
    nickName: 'Finn',
    locale: 'sv',
    phone: '+46701234567',
    address: { line1: 'Ångströmsgatan 7 B', city: 'Göteborg', postCode: '411 05', country: 'SE' },
    subscriptions: [running('news')],
  },
  {
    email: 'gro+tv@example.com',
    fullName: 'Gro Li',
    nickName: 'Gro "the TV" Li',
    phone: '+4740000003',
    address: { country: 'NO' },
    avatar: 'https://example.com/avatars/gro.png',
    subscriptions: [running('everything')],
  },
  {
    email: 'huda@example.com',
    fullName: 'هدى منصور',
    locale: 'ar',
    phone: '+971501234567',
    address: { line1: 'شارع الشيخ زايد', city: 'دبي', country: 'AE' },
    subscriptions: [running('news')],
  },
  {
    email: 'ida@example.com',
    fullName: "Ida O'Neil",
    locale: 'en',
    phone: '+353851234567',
    address: { country: 'IE' },
  },
  {
    email: 'a.very.long.address.that.still.is.an.address@subdomain.of.a.long.domain.example.com',
    fullName: 'Johannes Maximilian Alexander Ferdinand von und zu Hohenstein-Wittgenstein',
    locale: 'de',
  },
  {
    email: 'kim@example.com',
    fullName: '김민준',
    phone: '+821012345678',
    address: { city: '서울', country: 'KR' },
    subscriptions: [{ package: 'news', createdDays: -1, activatedDays: 0, expiresDays: 30 }],
  },
  {
    email: 'liv@example.com',
    fullName: 'Liv <b>Strand</b> & Sons',
    phone: '+4740000004',
    address: { country: 'NO' },
    locale: 'nb',
    subscriptions: [{ package: 'everything', createdDays: -400, activatedDays: -400, expiresDays: -35 }],
  },
  {
    email: 'MAX@Example.com',
    fullName: 'Max Upper',
    locale: 'pl',
    phone: '+48501234567',
    address: { country: 'PL' },
  },
];
