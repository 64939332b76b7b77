import type { Compilable } from 'kysely'
import { prepared } from '../database/prepared.ts'
import type { TokenFamilyRow } from '../database/schema-tokens.ts'
import { familyOf } from '../protocol/token-id.ts'
import type { Reading } from './in-transaction.ts'
import { asPerson, type PersonNow, type PersonRow, withPerson } from './person.ts'

/** The family of a person's access token, while it, its session and the token itself go on, and whose it is. */
export interface Holding {
  family: TokenFamilyRow
  person: PersonNow
}

type FamilyAndPerson = TokenFamilyRow & PersonRow

const selectHolding = prepared<{ id: string; jti: string }, FamilyAndPerson>(
  (db, slot) =>
    withPerson(
      db
        .selectFrom('token_families')
        .innerJoin('users', 'users.uuid', 'token_families.user_uuid')
        .selectAll('token_families')
        .where('token_families.id', '=', slot('id'))
        .where('token_families.revoked_at', 'is', null)
        .where((row) =>
          row.exists(
            row
              .selectFrom('sessions')
              .select('sessions.sid')
              .whereRef('sessions.sid', '=', 'token_families.sid')
              .where('sessions.ended_at', 'is', null),
          ),
        )
        .where((row) =>
          row.not(row.exists(row.selectFrom('revoked_tokens').select('jti').where('jti', '=', slot('jti')))),
        ),
    ) as Compilable<FamilyAndPerson>,
)

/** What a person's access token rests on, by one statement. Undefined: it was revoked, or that has ended. */
export async function findHolding(store: Reading, jti: string, now: number): Promise<Holding | undefined> {
  const rows = await store.read(selectHolding({ id: familyOf(jti), jti }))
  const [row] = rows
  return row === undefined ? undefined : { family: row, person: asPerson(row, rows, now) }
}
