/** The rows of an installation of any size, as its administrators see it. */
import { nameKey, wordsFrom } from '../../server/dist/protocol/values.js'
import {
  clientRow,
  organisation as acme,
  role,
  type Row,
  sessionRow,
  userRow,
  uuidOf,
} from './growth-rows.ts'

/** How many there are of each; a tenth of the people and of the clients are in one organisation of the reference file. */
export interface Installation {
  users: number
  organisations: number
  clients: number
}

const key = (number: number) => String(number).padStart(6, '0')
export const organisationCode = (number: number) => `organisation-${key(number)}`
export const user = (seed: number, number: number) => uuidOf(seed, 'user', number)

/** Of the reference file, too: one person in a hundred has a profile there. */
export const unit = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02'
const perUnit = 100
/** Addresses of applications, which one each has. */
export const redirectUriOf = (number: number) => `https://app-${key(number)}.bench.example/callback`

/** One person in ten is in `acme`, all others are spread over the others. */
const placeOf = (seed: number, number: number, { organisations }: Installation) =>
  number % 10 === 0 ? acme : uuidOf(seed, 'organisation', number % organisations)

/** By table, in the order in which they refer to one another: how many, and each. */
export function rowsOf(
  seed: number,
  size: Installation,
  now: number,
): [table: string, count: number, rowOf: (number: number) => Row][] {
  const tenth = Math.floor(size.users / 10)
  return [
    ['organisations', size.organisations, (number) => organisationRow(seed, number)],
    ['clients', size.clients, (number) => machineRow(seed, number, size, now)],
    ['users', size.users, (number) => personRow(seed, number, now)],
    ['profiles', size.users, (number) => profileRow(seed, number, size)],
    ['members', size.users, (number) => memberRow(seed, number, placeOf(seed, number, size))],
    ['members', Math.floor(size.users / perUnit), (number) => memberRow(seed, number * perUnit, unit)],
    words(size.organisations, (number) => organisationWords(seed, number)),
    words(size.clients, (number) => clientWords(seed, number, size)),
    words(size.users, (number) => userWords(seed, number, size)),
    words(Math.floor(size.users / perUnit), (number) => unitWords(seed, number * perUnit)),
    [
      'sessions',
      tenth,
      (number) => sessionRow(seed, number, { users: size.users, clients: 0, families: 0 }, now),
    ],
  ]
}

function organisationRow(seed: number, number: number): Row {
  const name = `Organisation ${key(number)}`
  return {
    uuid: uuidOf(seed, 'organisation', number),
    code: organisationCode(number),
    name,
    active: 1,
  }
}

/** One in a thousand may ask for a service; none has a permission: who holds one is asked of people. */
function machineRow(seed: number, number: number, size: Installation, now: number): Row {
  const services = number % 1000 === 7 ? '["ledger"]' : '[]'
  const may = { services, permissions: '[]', organisation_uuid: placeOf(seed, number, size) }
  const redirect_uris = JSON.stringify([redirectUriOf(number)])
  return { ...clientRow(number, 'machine', now), ...may, redirect_uris }
}

/** One in a thousand is disabled. */
const personRow = (seed: number, number: number, now: number): Row => ({
  ...userRow(seed, number, now),
  active: number % 1000 === 7 ? 0 : 1,
})

function profileRow(seed: number, number: number, size: Installation): Row {
  return {
    uuid: uuidOf(seed, 'profile', number),
    user_uuid: user(seed, number),
    role_code: roleOf(number),
    organisation_uuid: placeOf(seed, number, size),
    unit_uuid: number % perUnit === 0 ? unit : null,
    active: number % 1000 === 9 ? 0 : 1,
    expires_at: number % 20 === 5 ? Date.UTC(2030, 0, 1) + number : null,
  }
}

/** Nearly all, one in twenty of acme, and ten in ten thousand. */
function roleOf(number: number): string {
  if (number % 1000 === 10) return 'reader'
  return number % 200 === 20 ? 'bookkeeper' : role
}

/** As `indexMembers` would have it. */
function memberRow(seed: number, number: number, place: string): Row {
  const { email_key, active } = personRow(seed, number, 0)
  return {
    place_uuid: place,
    user_uuid: user(seed, number),
    email_key: email_key ?? null,
    active: active ?? null,
  }
}

/** As `indexWords` would have them: of each thing as many rows. */
function words(
  count: number,
  rowsOf: (number: number) => Row[],
): [table: string, count: number, rowOf: (number: number) => Row] {
  const each = rowsOf(0).length
  let made: { of: number; rows: Row[] } = { of: 0, rows: rowsOf(0) }
  const rowOf = (number: number) => {
    const of = Math.floor(number / each)
    if (made.of !== of) made = { of, rows: rowsOf(of) }
    return made.rows[number % each] ?? {}
  }
  return ['words', count * each, rowOf]
}

/** Everywhere, and at this place. */
function atPlaces(row: Row, name: string, place: string | undefined): Row[] {
  const isClient = row.kind === 'client'
  const texts = [...(isClient ? [String(row.id).toLowerCase()] : []), ...wordsFrom(nameKey(name))]
  return ['', ...(place === undefined ? [] : [place])].flatMap((one) =>
    texts.map((text, index) => ({ ...row, place: one, words: text, later: isClient || index === 0 ? 0 : 1 })),
  )
}

function organisationWords(seed: number, number: number): Row[] {
  const { uuid = null, code = null, name } = organisationRow(seed, number)
  return atPlaces({ kind: 'organisation', id: uuid, key: code }, String(name), undefined)
}

function clientWords(seed: number, number: number, size: Installation): Row[] {
  const { client_id: id = null, client_name: name } = machineRow(seed, number, size, 0)
  return atPlaces({ kind: 'client', id, key: id }, String(name), placeOf(seed, number, size))
}

function userWords(seed: number, number: number, size: Installation): Row[] {
  const { uuid = null, email_key = null, name } = userRow(seed, number, 0)
  return atPlaces({ kind: 'user', id: uuid, key: email_key }, String(name), placeOf(seed, number, size))
}

/** Those at the unit, beside everywhere and its organisation. */
function unitWords(seed: number, number: number): Row[] {
  const { uuid = null, email_key = null, name } = userRow(seed, number, 0)
  const words = wordsFrom(nameKey(String(name)))
  return words.map((text, index) => ({
    ...{ kind: 'user', id: uuid, key: email_key, place: unit },
    ...{ words: text, later: index === 0 ? 0 : 1 },
  }))
}
