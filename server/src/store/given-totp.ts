import type { Kysely } from 'kysely'
import type { AuditEvent, Origin } from '../audit/record.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import { newId } from '../protocol/identifier.ts'
import type { TotpSecret } from '../protocol/totp-secret.ts'

/** A TOTP secret as the factor with this id keeps it. */
export type EncryptTotp = (secret: TotpSecret, id: string) => string

/** The authenticator app that somebody new brings along. */
export interface GivenTotp {
  user_uuid: string
  totp: TotpSecret
}

/** Lets them count at once: they were confirmed elsewhere, so there is no grace. Yields what is to be recorded. */
export async function giveTotp(
  trx: Kysely<Schema>,
  given: readonly GivenTotp[],
  { now, by, encryptTotp }: { now: number; by: Origin; encryptTotp: EncryptTotp },
): Promise<AuditEvent[]> {
  const [kind, name] = ['totp' as const, 'Authenticator app']
  const rows = given.map(({ user_uuid, totp }) => {
    const id = newId(now)
    const secret = encryptTotp(totp, id)
    return { id, user_uuid, kind, name, created_at: now, confirmed_at: now, secret }
  })
  for (const some of chunksOf(rows)) {
    await trx.insertInto('factors').values(some).execute()
    const people = some.map((row) => row.user_uuid)
    await trx
      .updateTable('users')
      .set({ second_factor: 1, grace_began_at: 0 })
      .where('uuid', 'in', people)
      .execute()
  }
  return rows.map(({ id, user_uuid }) => ({
    at: now,
    kind: 'factor.created',
    ...by,
    target: { kind: 'factor', id },
    user_uuid,
    detail: { kind, name },
  }))
}
