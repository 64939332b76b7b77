import { emailKey } from '../../protocol/email-address.ts'
import type { Row } from './rows.ts'

/** What a new user begins with, where it is not said. */
const begun = {
  declared_password_hash: null,
  last_profile_uuid: null,
  second_factor: 0,
  user_handle: null,
  grace_began_at: null,
  enrolment_required: 0,
  password_temporary: 0,
  deletion_at: null,
  last_sign_in_on: '',
  ranked_at: null,
  former_sub: null,
  import_uuid: null,
  password_reach: null,
  kept_by: null,
  disabled_by: null,
  managed_by: null,
  version: 1,
} as const satisfies Partial<Row<'users'>>

type Begun = keyof typeof begun
type NewUserColumns = Omit<Row<'users'>, Begun | 'email_key' | 'created_at' | 'updated_at'> &
  Partial<Pick<Row<'users'>, Begun>>

/** The row of a new user. */
export const newUser = (said: NewUserColumns, now: number): Row<'users'> => ({
  ...begun,
  ...said,
  email_key: emailKey(said.email),
  created_at: now,
  updated_at: now,
})
