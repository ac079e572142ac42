// Every problem that there is: its code, and its words in English.
import { wordsOfClients } from './problems/of-clients.ts';
import { wordsOfFiles } from './problems/of-files.ts';
import { wordsOfMembers } from './problems/of-members.ts';
import { wordsOfTenants } from './problems/of-tenants.ts';

/**
 * The words of each problem by its code. `{it}` is what the problem is of, as each face calls it; the other names in
 * braces are the problem's values. A part in brackets is left out where its value is.
 */
export const problemWords = {
  // The shape of a value.
  missing: '{it} is missing',
  empty: '{it} is empty',
  wrong_type: '{it} must be {types}',
  not_quoted: '{it} must be a text: put it in quotes',
  not_one_of: '{it} must be one of {allowed}[. Did you mean {near}?]',
  not_in_list: '{it} must be one of {list}',
  too_small: '{it} must be {least} or more',
  too_large: '{it} must be {most} or less',
  too_short: '{it} has fewer than {least} characters',
  too_long: '{it} has more than {most} characters',
  too_many: '{it} has more than {most} entries',
  duplicate: '{it} has the same entry twice',
  malformed: '{it} is malformed',
  not_a_time: '{it} must be a date and a time with its zone, such as 2026-01-31T12:00:00Z',
  half_character: '{it} has half a character: an escape of a pair stands alone',
  unknown_field: '{it} is not known[. Did you mean {near}?][. Known are {known}]',
  unknown_value: '{it} is not known',
  unknown_place: '{it} names no entry of this list, or one that is gone: begin with the first page',
  sent_twice: '{it} was sent in two places',
  not_an_object: 'the body must be a JSON object',
  key_in_use: 'a call with this key is under way: wait for its answer, then send it again',
  key_reused: 'this key came with another body before: take a new key for another call',
  query_malformed: 'the query is malformed',
  // What is not there, is there already, or may not be had.
  not_found: 'there is no such {what}',
  permission_needed: 'the permission {permission} is needed',
  permission_needed_everywhere: 'the permission {permission} is needed, for every tenant',
  last_administrator:
    'no one would be left who can sign in and administer everything: make another system administrator first, on a tenant that stays enabled; the command does it all the same with --force',
  no_passwords: 'members sign in with codes by mail here, and have no passwords',
  not_a_domain: '"{value}" is not a domain such as school.example',
  public_suffix: 'names below {value} are sold to anyone: name the domain of one school or firm',
  free_mail: 'anyone gets an address at {value}: name the domain of a school or a firm',
  seats_taken: '{taken} seats are taken: end some of them first, or leave as many',
  no_free_seat: 'no seat is free: end one, or ask for more',
  seat_mailed: 'this address got as many invitations today as it may get: send the next one tomorrow',
  mailed_often: 'this address got several mails for this account within an hour: wait before the next one',
  seat_kept: 'there is a seat for this address already',
  seat_of_holder: 'the holder has the subscription, and needs no seat',
  seat_over: 'the subscription gives no access now, so its seats give none',
  last_way_in:
    'it is the last way in that the member has: mail a link for a new password first, and remove it once there is one',
  permissions_needed_for: '{what} needs the permissions {permissions}',
  permission_needed_for_address: 'to name a member by address needs the permission {permission}',
  permission_needed_besides: 'to export all data needs the permission {permission}, too',
  too_often: 'this was done too often: wait {seconds} seconds, then send it again',
  taken: '{it} is taken: there is such a {what} already',
  name_taken: 'there is a {what} of this name already',
  own_account: 'you cannot do this to your own account',
  administrators_only: 'a {userType} is for those who can do all that one can',
  out_of_range: '{it} must be {least} to {most}',
  ...wordsOfTenants,
  ...wordsOfClients,
  ...wordsOfMembers,
  ...wordsOfFiles,
  // What the command was told without a code, as of an outage.
  unexplained: '{text}',
} as const;
