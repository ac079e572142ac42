// Domains whose addresses may take a seat.
import { hostNameLength } from '../../limits.ts';
import { type Problem, problem } from '../../problem.ts';
import { seatDomains } from '../limits.ts';

/** The domain of a normalised address: all that follows the last @. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** Small letters, digits and hyphens between dots, at least one of them: a domain as addresses have it, other letters in Punycode. */
const form =
  /^(?=[^.]{1,63}\.)(?:[\p{Ll}\p{Lo}\p{N}](?:[\p{Ll}\p{Lo}\p{N}-]{0,61}[\p{Ll}\p{Lo}\p{N}])?\.)+[\p{Ll}\p{Lo}\p{N}-]{2,63}$/u;

/** The form in which domains are compared: that of normalised addresses. */
export const normaliseDomain = (text: string): string =>
  text.trim().normalize('NFC').toLowerCase().replace(/^@/, '');

/** What is wrong with the domains of a subscription, as they are normalised. */
export function domainProblems(domains: readonly string[]): readonly Problem[] {
  return [
    ...(domains.length > seatDomains ? [problem('domains', 'too_many', { most: seatDomains })] : []),
    ...domains.flatMap((domain) => {
      if (domain.length > hostNameLength || !form.test(domain)) {
        return [problem('domains', 'not_a_domain', { value: domain.slice(0, hostNameLength) })];
      }
      if (isPublicSuffix(domain)) return [problem('domains', 'public_suffix', { value: domain })];
      return isFreeMail(domain) ? [problem('domains', 'free_mail', { value: domain })] : [];
    }),
  ];
}

/**
 * Whether a registry sells the names below a domain, such as co.uk: it is no school's and no firm's. Addresses of a domain alone
 * take a seat, none below it, and no one has one at co.uk: a holder who names that means something else, and is told so.
 *
 * A rule and no list, which would be old the day after: a registry's word before the code of a country (ISO 3166-1).
 */
export function isPublicSuffix(domain: string): boolean {
  const [word = '', country = '', ...rest] = domain.split('.');
  return rest.length === 0 && country.length === 2 && registryWords.has(word);
}

/** What registries of countries call the names that they sell, as the list of public suffixes has them. */
const registryWords: ReadonlySet<string> = new Set(
  'ac asn co com ed edu go gob gouv gov govt gub gv k12 lg ltd me mil ne net nhs nom or org plc police sch'.split(
    ' ',
  ),
);

/** Whether anyone gets an address at this domain: it is in the list, or is that of such a provider in some country. */
export function isFreeMail(domain: string): boolean {
  if (freeMail.has(domain)) return true;
  const [name = '', ...rest] = domain.split('.');
  return freeMailNames.has(name) && (rest.length === 1 || isPublicSuffix(rest.join('.')));
}

/** Providers that have a domain in many countries, such as yahoo.co.jp. */
const freeMailNames: ReadonlySet<string> = new Set(
  'aol gmail gmx googlemail hotmail icloud live msn outlook protonmail rocketmail tutanota yahoo yandex ymail'.split(
    ' ',
  ),
);

/**
 * Providers at which anyone gets an address: a domain of theirs says nothing of a school or a firm, and would open the
 * seats to the world. The large ones of the countries whose languages the pages speak; a list of all there are would be old
 * the day after. What it lacks, an operator sees in the portal and takes out there.
 */
const freeMail: ReadonlySet<string> = new Set(
  (
    'passport.com aim.com me.com mac.com proton.me pm.me tuta.io tuta.com tutamail.com keemail.me web.de freenet.de ' +
    't-online.de mail.de posteo.de posteo.net mailbox.org arcor.de online.no broadpark.no getmail.no lyse.net ' +
    'frisurf.no telia.com spray.se bredband.net comhem.se tele2.se passagen.se glocalnet.net mail.dk jubii.dk ' +
    'ofir.dk stofanet.dk kolumbus.fi elisanet.fi luukku.com suomi24.fi saunalahti.fi pp.inet.fi orange.fr wanadoo.fr ' +
    'free.fr sfr.fr laposte.net neuf.fr bbox.fr numericable.fr libero.it virgilio.it alice.it tin.it tiscali.it ' +
    'inwind.it fastwebnet.it telefonica.net terra.es ono.com wp.pl o2.pl onet.pl op.pl interia.pl gazeta.pl ziggo.nl ' +
    'kpnmail.nl planet.nl hetnet.nl home.nl xs4all.nl upcmail.nl telenet.be skynet.be mail.ru bk.ru list.ru inbox.ru ' +
    'ya.ru rambler.ru ukr.net seznam.cz centrum.cz email.cz bluewin.ch btinternet.com virginmedia.com sky.com ' +
    'talktalk.net ntlworld.com comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net mail.com ' +
    'email.com fastmail.com fastmail.fm hushmail.com zoho.com zohomail.com zohomail.eu hey.com inbox.com maktoob.com ' +
    'qq.com 163.com 126.com sina.com naver.com hanmail.net daum.net rediffmail.com uol.com.br bol.com.br ' +
    'terra.com.br mailinator.com guerrillamail.com 10minutemail.com yopmail.com trashmail.com duck.com mozmail.com'
  ).split(' '),
);
