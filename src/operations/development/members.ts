// The members of the development tenants.
import type { CustomPropertyValues } from '../../core/access/custom-property.ts';
import type { Address, Member } from '../../core/members/member.ts';
import type { developmentPackages } from './access.ts';

/** A subscription, its times in days from the first start. */
interface DevelopmentSubscription {
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

/** What hashing it came to once: a start need not do so again. It is as little a secret as the password. */
export const developmentPasswordHash =
  '$argon2id$v=19$m=19456,t=2,p=1$LrRLd6bS2xaSofoKuecPtQ$Q3bD20zPkeEUp1s1OWXHuA1TeEUYVo5x8C9b05xetg4';

const member = (
  email: string,
  fullName: string,
  more: Omit<DevelopmentMember, 'email' | 'fullName'>,
): DevelopmentMember => ({ email, fullName, ...more });

const subscription = (
  name: DevelopmentSubscription['package'],
  [createdDays, activatedDays, expiresDays]: readonly [created: number, activated: number, expires: number],
): DevelopmentSubscription => ({ package: name, createdDays, activatedDays, expiresDays });

const running = (name: DevelopmentSubscription['package']) => subscription(name, [-40, -30, 335]);

const adasAddress = {
  line1: 'Storgata 1',
  city: 'Oslo',
  postCode: '0155',
  postOffice: 'Oslo',
  country: 'NO',
};
const finnsAddress = { line1: 'Ångströmsgatan 7 B', city: 'Göteborg', postCode: '411 05', country: 'SE' };
const deesProperties = {
  shoeSize: 42.5,
  visits: 0,
  motto: 'Always "on" time',
  renewedAt: '2026-01-31T23:59:59.999Z',
};

export const developmentMembers: readonly DevelopmentMember[] = [
  member('ada@example.com', 'Ada Nilsen', {
    nickName: 'Ada',
    phone: '+4791234567',
    address: { ...adasAddress, name: 'Ada Nilsen', email: 'ada@example.com' },
    subscriptions: [
      { ...running('everything'), properties: { seats: 2, source: 'spring campaign' } },
      running('news'),
    ],
  }),
  member('bo@example.com', 'Bo Berg', { nickName: 'Bo', phone: '+46701740605', address: { country: 'SE' } }),
  member('cy@example.com', 'Cy Young', {
    phone: '+12025550123',
    address: { country: 'US' },
    subscriptions: [subscription('everything', [-400, -366, -1]), subscription('news', [-2, 1, 366])],
  }),
  member('dee@example.com', 'Dee 🦊 Fox', {
    phone: '+442079460958',
    subscriptions: [{ ...running('everything'), properties: deesProperties }],
  }),
  member('eve@example.com', 'Eve Moor', {
    phone: '+442079460123',
    status: 'disabled',
    subscriptions: [running('news')],
  }),
  member('tina@example.com', 'Tina Admin', {
    phone: '+4740000001',
    address: { country: 'NO' },
    userType: 'tenant_admin',
  }),
  member('sam@example.com', 'Sam Admin', {
    phone: '+4740000002',
    address: { country: 'NO' },
    userType: 'system_admin',
  }),
  member('finn@example.com', 'Finn Åsgård Müller-Çelik', {
    nickName: 'Finn',
    locale: 'sv',
    phone: '+46701234567',
    address: finnsAddress,
    subscriptions: [running('news')],
  }),
  member('gro+tv@example.com', 'Gro Li', {
    nickName: 'Gro "the TV" Li',
    phone: '+4740000003',
    address: { country: 'NO' },
    avatar: 'https://example.com/avatars/gro.png',
    subscriptions: [running('everything')],
  }),
  member('huda@example.com', 'هدى منصور', {
    locale: 'ar',
    phone: '+971501234567',
    address: { line1: 'شارع الشيخ زايد', city: 'دبي', country: 'AE' },
    subscriptions: [running('news')],
  }),
  member('ida@example.com', "Ida O'Neil", {
    locale: 'en',
    phone: '+353851234567',
    address: { country: 'IE' },
  }),
  member(
    'a.very.long.address.that.still.is.an.address@subdomain.of.a.long.domain.example.com',
    'Johannes Maximilian Alexander Ferdinand von und zu Hohenstein-Wittgenstein',
    { locale: 'de' },
  ),
  member('kim@example.com', '김민준', {
    phone: '+821012345678',
    address: { city: '서울', country: 'KR' },
    subscriptions: [subscription('news', [-1, 0, 30])],
  }),
  member('liv@example.com', 'Liv <b>Strand</b> & Sons', {
    phone: '+4740000004',
    address: { country: 'NO' },
    locale: 'nb',
    subscriptions: [subscription('everything', [-400, -400, -35])],
  }),
  member('MAX@Example.com', 'Max Upper', { locale: 'pl', phone: '+48501234567', address: { country: 'PL' } }),
];
