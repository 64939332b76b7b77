import type { Kysely } from 'kysely'
import * as z from 'zod'
import { anyText } from '../catalogue/checked.ts'
import type { AuditEvent, Origin } from '../audit/record.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import { authenticatorName } from '../protocol/authenticators.ts'
import { isCoseKey } from '../protocol/cose-key.ts'
import { newId } from '../protocol/identifier.ts'
import { textProblem } from '../protocol/values.ts'
import type { FieldProblem } from '../protocol/problem.ts'
import { readTotpSecret, type TotpSecret } from '../protocol/totp-secret.ts'
import { type EncryptTotp, giveTotp } from '../store/given-totp.ts'
import { keycloakPasskey, keycloakTotp, longestName } from './keycloak-factors.ts'

const totpText = anyText(1000).transform((text, context) => {
  const read = readTotpSecret(text)
  if (!('problem' in read)) return read
  // The secret itself is left out: refusals are printed.
  context.issues.push({ code: 'custom', input: '', message: `It ${read.problem}.` })
  return z.NEVER
})

const totpSecret = z.preprocess(keycloakTotp, totpText)

/** Base64url in the one spelling of browsers, because credentials and people are found by it. */
const base64url = (most: number) =>
  z.string().refine(
    (text) => {
      const bytes = Buffer.from(text, 'base64url')
      return bytes.length > 0 && bytes.length <= most && bytes.toString('base64url') === text
    },
    { error: `It is no base64url of at most ${most} bytes.` },
  )

const flag = z.boolean()
/** A credential record (WebAuthn Level 3 §4). */
const passkey = z.strictObject({
  credential_id: base64url(1023),
  public_key: z.string().refine(isCoseKey, { error: 'It is no COSE key of EdDSA, ES256 or RS256.' }),
  rp_id: z.string(),
  sign_count: z.int().min(0).max(0xffff_ffff).optional(),
  /** Left out: nobody knows, and the first use tells. */
  backup_eligible: flag.optional(),
  backup_state: flag.optional(),
  transports: z
    .array(z.string().regex(/^[a-z-]{1,20}$/, { error: 'It is no transport, such as usb or hybrid.' }))
    .max(10)
    .optional(),
  /** Sixteen bytes, which are no UUID of any version. */
  aaguid: z.guid().optional(),
  kind: z.enum(['passkey', 'security_key']).optional(),
  name: z
    .string()
    .check(
      z.refine((one) => textProblem(longestName)(one) === undefined, {
        error: `It is no name of at most ${longestName} characters.`,
      }),
    )
    .optional(),
})
type ImportedPasskey = z.output<typeof passkey>

/** What a row says of second factors. */
export const factorFields = {
  totp_secret: totpSecret.optional(),
  passkeys: z.array(z.preprocess(keycloakPasskey, passkey)).min(1).max(10).optional(),
  /** What the passkeys name their person by (WebAuthn Level 3 §5.4.3). */
  user_handle: base64url(64).optional(),
}

/** Imported factors count at once: they were confirmed where the people come from. */
export interface ImportedFactors {
  totp: TotpSecret | undefined
  passkeys: readonly ImportedPasskey[]
  userHandle: string | undefined
}

/** What is wrong with the passkeys of a row. `rpId`: the domain that passkeys belong to here. */
export function passkeyProblems(
  { passkeys, userHandle }: ImportedFactors,
  rpId: () => string,
): FieldProblem[] {
  if (passkeys.length > 0 !== (userHandle !== undefined))
    return [{ field: 'user_handle', detail: 'It is needed with passkeys, and with nothing else.' }]
  return passkeys.flatMap(({ rp_id: of }, index) =>
    of === rpId() ? [] : [{ field: `passkeys.${index}.rp_id`, detail: `It is not ${rpId()}.` }],
  )
}

/** What no two people have. */
export const namesOf = ({ passkeys, userHandle }: ImportedFactors): string[] => [
  ...passkeys.map((one) => one.credential_id),
  ...(userHandle === undefined ? [] : [userHandle]),
]

/** Names that somebody has, with whose they are. */
export async function takenNames(
  db: Kysely<Schema>,
  all: readonly ImportedFactors[],
): Promise<ReadonlyMap<string, string>> {
  const names = all.flatMap(namesOf)
  const taken = new Map<string, string>()
  for (const some of chunksOf(names)) {
    const factors = db
      .selectFrom('factors')
      .select(['credential_id as name', 'user_uuid'])
      .where('credential_id', 'in', some)
    const users = db
      .selectFrom('users')
      .select(['user_handle as name', 'uuid as user_uuid'])
      .where('user_handle', 'in', some)
    for (const { name, user_uuid } of [...(await factors.execute()), ...(await users.execute())])
      if (name !== null) taken.set(name, user_uuid)
  }
  return taken
}

/** What the row of a person says of their passkeys. There was a factor before, so there is no grace. */
export const passkeyColumns = ({ passkeys, userHandle }: ImportedFactors) =>
  passkeys.length === 0
    ? {}
    : { second_factor: 1 as const, grace_began_at: 0, user_handle: userHandle ?? null }

/** Adds them to people who are there. Yields what is to be recorded. */
export async function insertFactors(
  trx: Kysely<Schema>,
  people: readonly (ImportedFactors & { user_uuid: string })[],
  { now, by, encryptTotp }: { now: number; by: Origin; encryptTotp: EncryptTotp },
): Promise<AuditEvent[]> {
  const given = people.flatMap(({ user_uuid, totp }) => (totp === undefined ? [] : [{ user_uuid, totp }]))
  const apps = await giveTotp(trx, given, { now, by, encryptTotp })
  const rows = people.flatMap(({ user_uuid, passkeys }) =>
    passkeys.map((one) => {
      return { id: newId(now), user_uuid, created_at: now, confirmed_at: now, ...columnsOf(one) }
    }),
  )
  for (const some of chunksOf(rows)) await trx.insertInto('factors').values(some).execute()
  const passkeys = rows.map(
    ({ id, user_uuid, kind, name }): AuditEvent => ({
      at: now,
      kind: 'factor.created',
      ...by,
      target: { kind: 'factor', id },
      user_uuid,
      detail: { kind, name },
    }),
  )
  return [...apps, ...passkeys]
}

const columnsOf = ({ rp_id, aaguid, transports = [], kind = 'passkey', ...one }: ImportedPasskey) => ({
  kind,
  name: one.name ?? authenticatorName(aaguid ?? '') ?? (kind === 'passkey' ? 'Passkey' : 'Security key'),
  credential_id: one.credential_id,
  public_key: one.public_key,
  sign_count: one.sign_count ?? 0,
  backup_eligible:
    one.backup_eligible === undefined ? null : one.backup_eligible ? (1 as const) : (0 as const),
  backup_state: one.backup_state === true ? (1 as const) : (0 as const),
  transports: JSON.stringify(transports),
  aaguid: aaguid ?? null,
  rp_id,
})
