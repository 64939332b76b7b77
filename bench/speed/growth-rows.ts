/** The rows of a database of any size, the same for the same seed; whoever asks makes the secrets again from it. */
import { hash } from 'node:crypto'
import { hashSecret } from '../../server/dist/protocol/identifier.js'
import { refreshTokenText } from '../../server/dist/store/refresh-token-text.js'
import { secretOf } from './seeded.ts'

export interface Size {
  users: number
  /** Half of them machines, half for people. */
  clients: number
  /** Each of a session of its own, which is live too. */
  families: number
}

export const redirectUri = 'https://app.bench.example/callback'
/** Of the reference file. */
export const [role, organisation] = ['importer', '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01']
const day = 86_400_000

export const machineId = (number: number) => `machine-${String(number).padStart(6, '0')}`
export const webId = (number: number) => `web-${String(number).padStart(6, '0')}`
export const machineSecret = (seed: number, number: number) => secretOf(seed, 'machine', number)
export const sessionCookie = (seed: number, number: number) => secretOf(seed, 'cookie', number)

/** Random as the service's own are, so that neighbours in the tables are none in the indexes. */
export function uuidOf(seed: number, name: string, number: number): string {
  const hex = hash('md5', `${seed} ${name} ${number}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** The refresh token that a family's client holds. */
export function refreshToken(seed: number, number: number): string {
  return refreshTokenText({
    familyId: familyId(seed, number),
    familySecret: secretOf(seed, 'family', number),
    secret: secretOf(seed, 'current', number),
  })
}

/** Grows with time, as the service's own do. */
function familyId(seed: number, number: number): string {
  const random = hash('md5', `${seed} family ${number}`).slice(0, 20)
  return (Date.UTC(2026, 0, 1) + number).toString(16).padStart(12, '0') + random
}

export type Row = Readonly<Record<string, string | number | null>>

export function userRow(seed: number, number: number, now: number): Row {
  const email = `person-${number}@bench.example`
  return {
    uuid: uuidOf(seed, 'user', number),
    email,
    email_key: email,
    email_verified: 1,
    name: `Person ${number}`,
    given_name: 'Person',
    family_name: String(number),
    preferred_username: null,
    picture: null,
    locale: 'en',
    zoneinfo: null,
    password_hash: null,
    declared_password_hash: null,
    // As an administrator of everything makes them.
    limited_reach: 0,
    active: 1,
    last_profile_uuid: null,
    created_at: now,
    updated_at: now,
  }
}

export function profileRow(seed: number, number: number): Row {
  return {
    uuid: uuidOf(seed, 'profile', number),
    user_uuid: uuidOf(seed, 'user', number),
    role_code: role,
    organisation_uuid: organisation,
    unit_uuid: null,
    active: 1,
    expires_at: null,
  }
}

export function clientRow(number: number, type: 'public' | 'machine', now: number): Row {
  const isMachine = type === 'machine'
  return {
    client_id: isMachine ? machineId(number) : webId(number),
    type,
    application_type: 'web',
    client_name: `Client ${number}`,
    active: 1,
    first_party: 1,
    scope: isMachine ? 'service.api' : 'openid email profile service.api',
    redirect_uris: JSON.stringify(isMachine ? [] : [redirectUri]),
    post_logout_redirect_uris: '[]',
    grant_types: JSON.stringify(isMachine ? ['client_credentials'] : ['authorization_code', 'refresh_token']),
    services: '["submissions-tool"]',
    permissions: isMachine ? '["submissions-tool.vista-import.create"]' : null,
    organisation_uuid: isMachine ? organisation : null,
    allowed_origins: '[]',
    client_uri: null,
    logo_uri: null,
    contacts: '[]',
    backchannel_logout_uri: null,
    access_token_lifetime: null,
    refresh_idle_lifetime: null,
    refresh_absolute_lifetime: null,
    created_at: now,
    updated_at: now,
  }
}

export function secretRow(seed: number, number: number, now: number): Row {
  return {
    id: uuidOf(seed, 'secret', number),
    client_id: machineId(number),
    secret_hash: hashSecret(machineSecret(seed, number)),
    created_at: now,
    expires_at: null,
  }
}

/** Seen a little later than now: none of them is due to be touched while it is measured. */
export function sessionRow(seed: number, number: number, size: Size, now: number): Row {
  return {
    sid: uuidOf(seed, 'session', number),
    cookie_hash: hashSecret(sessionCookie(seed, number)),
    user_uuid: uuidOf(seed, 'user', number % size.users),
    auth_time: now,
    acr: '1',
    amr: '["pwd"]',
    created_at: now,
    last_seen_at: now + 3_600_000,
    expires_at: now + 7 * day,
    known_end: now + 7 * day,
    ended_at: null,
  }
}

export function familyRow(seed: number, number: number, size: Size, now: number): Row {
  return {
    id: familyId(seed, number),
    client_id: webId(number % (size.clients / 2)),
    user_uuid: uuidOf(seed, 'user', number % size.users),
    sid: uuidOf(seed, 'session', number),
    profile_uuid: uuidOf(seed, 'profile', number % size.users),
    scope: 'openid email profile service.api',
    resource: null,
    auth_time: now,
    acr: '1',
    amr: '["pwd"]',
    family_hash: hashSecret(secretOf(seed, 'family', number)),
    current_hash: hashSecret(secretOf(seed, 'current', number)),
    predecessors: '[]',
    created_at: now,
    last_used_at: now,
    idle_expires_at: now + 14 * day,
    known_end: now + 14 * day,
    expires_at: now + 30 * day,
    revoked_at: null,
    revoked_reason: null,
  }
}
