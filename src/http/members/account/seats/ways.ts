// The account page on which the holder of seats says who takes one without an invitation: those of a domain or a network.
import { shownNetwork, soundNetwork } from '../../../../core/access/network.ts';
import { isFrom, isOwnNetwork, ownNetwork } from '../../../../core/access/seats/network.ts';
import { openToNetwork, openToOwnDomain, ownDomain } from '../../../../operations/access/seat-groups.ts';
import type { OpenedGroup } from '../../../../operations/access/seats.ts';
import type { Tx } from '../../../../storage/store.ts';
import { pageForm } from '../../../form.ts';
import type { Answer } from '../../../pages/guarded-page.ts';
import type { FieldProblem } from '../../../pages/pages.ts';
import { type AccountPage, listLinks, redirectDone, sendAccountPage, type Visit } from '../page.ts';
import { notFound, openedAt, seatsUrl, waysUrl } from './group.ts';

/** GET and POST /account/seats/:subscription/ways (pages 18; GA1, GA9). */
export const waysPage: AccountPage = { url: '/account/seats/:subscription/ways', show: open, submit };

/** So many of the names stand on the page of the seats. */
const namesInShort = 3;

/** To whom seats are open, in one line. */
export function waysInShort({ language }: Visit, { group }: OpenedGroup): readonly string[] {
  const names = [...group.domains, ...group.networks.map(nameOf)];
  if (names.length === 0) return [language.t('account.seats.ways.none')];
  return [...names.slice(0, namesInShort), ...(names.length > namesInShort ? ['…'] : [])];
}

const nameOf = (network: string) => shownNetwork(soundNetwork(network));

const whereOf = ({ request: { address: ipAddress, tenant } }: Visit) => ({
  ipAddress,
  development: tenant.development,
});

async function open(tx: Tx, visit: Visit): Promise<Answer> {
  const opened = await openedAt(tx, visit);
  return opened === null ? notFound(visit) : () => send(visit, opened, []);
}

function send(visit: Visit, { group }: OpenedGroup, problems: readonly FieldProblem[]) {
  const domain = ownDomain(visit.member);
  const { ipAddress, development } = whereOf(visit);
  const own = isFrom(group.networks, ipAddress) ? null : ownNetwork(ipAddress, development);
  return sendAccountPage(visit, {
    template: 'seats/ways',
    title: 'account.seats.ways.title',
    problems,
    data: {
      links: listLinks(visit, waysUrl(group), null),
      seats: seatsUrl(group),
      domain: domain === null ? null : { name: domain, isOpen: group.domains.includes(domain) },
      networks: group.networks.map((network) => ({
        network,
        name: nameOf(network),
        isHere: isFrom([network], ipAddress),
        canClose: isOwnNetwork(soundNetwork(network)),
      })),
      // She sees what she opens, and it is that which is opened.
      here: own === null ? null : { network: own, name: nameOf(own) },
    },
  });
}

async function submit(tx: Tx, visit: Visit): Promise<Answer> {
  const { action, network = '' } = pageForm(visit.request, ['action', 'network']);
  const opened = await openedAt(tx, visit);
  if (opened === null) return notFound(visit);
  switch (action) {
    case 'open':
    case 'close':
      return openDomain(tx, visit, opened, action === 'open');
    case 'openTo':
    case 'closeTo':
      return openNetwork(tx, visit, opened, network, action === 'openTo');
    default:
      return notFound(visit);
  }
}

async function openDomain(tx: Tx, visit: Visit, opened: OpenedGroup, isOpen: boolean): Promise<Answer> {
  if (!(await openToOwnDomain(tx, opened, isOpen))) return notFound(visit);
  const name = ownDomain(visit.member) ?? '';
  return () => redirectDone(visit, waysUrl(opened.group), isOpen ? 'seatsOpened' : 'seatsClosed', { name });
}

async function openNetwork(
  tx: Tx,
  visit: Visit,
  opened: OpenedGroup,
  network: string,
  isOpen: boolean,
): Promise<Answer> {
  if (!(await openToNetwork(tx, opened, network, isOpen, whereOf(visit)))) {
    const text = visit.language.t('account.seats.networks.moved');
    return () => send(visit, opened, [{ field: 'networks', text }]);
  }
  const done = isOpen ? 'seatsOpenedTo' : 'seatsClosedTo';
  return () => redirectDone(visit, waysUrl(opened.group), done, { name: nameOf(network) });
}
