import * as z from 'zod'
import { attributesOf, personOf } from './read-person.ts'
import { fromRecords, someText, yesOrNo } from './record-source.ts'
import type { ExportRecord } from './records.ts'
import { decide, lost, type Remark, type ToldPerson } from './told.ts'

/**
 * Firebase: `firebase auth:export people.json` (or `.csv`, which has no names of columns). The hashes need the
 * parameters of the project, which the console shows at Authentication, Users, "Password hash parameters": they are
 * given to `tessera import --firebase-key`, and are in no export.
 */
export const firebase = fromRecords<{ hashes: boolean }>({
  name: 'Firebase',
  lists: ['users'],
  columns: [
    ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'displayName', 'photoUrl'],
    ...['google.com', 'facebook.com', 'twitter.com', 'github.com'].flatMap((one) => [
      one,
      ...['email', 'displayName', 'photoUrl'].map((part) => `${one} ${part}`),
    ]),
    ...['createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled', 'customAttributes'],
  ],
  begin: () => ({ hashes: false }),
  learn: (project, { values }) => {
    if (typeof values['passwordHash'] === 'string' && values['passwordHash'] !== '') project.hashes = true
    return isAccount(values)
  },
  structure: function* ({ hashes }) {
    // Custom claims are set by the Admin SDK alone.
    yield { is: 'system', name: 'firebase', label: 'Firebase', editsOthers: false }
    if (hashes)
      yield decide(
        'The hashes need the parameters of the project: give them to tessera import by --firebase-key.',
        'Authentication, Users, Password hash parameters',
      )
  },
  people: peopleOf,
})

/** Everybody has one of these beside their id. */
const isAccount = (values: ExportRecord['values']) =>
  typeof values['localId'] === 'string' &&
  ['email', 'emailVerified', 'createdAt', 'phoneNumber', 'providerUserInfo'].some((one) =>
    Object.hasOwn(values, one),
  )

const provider = z.object({ providerId: z.string() })

const account = z.object({
  localId: z.string(),
  email: someText,
  emailVerified: yesOrNo,
  passwordHash: someText,
  salt: someText,
  displayName: someText,
  photoUrl: someText,
  disabled: yesOrNo,
  customAttributes: z.unknown().optional(),
  providerUserInfo: z.array(provider).nullish().catch(undefined),
  mfaInfo: z.array(z.unknown()).nullish().catch(undefined),
})

function* peopleOf({ values, at }: ExportRecord): Generator<ToldPerson | Remark> {
  if (!isAccount(values)) return
  const { data } = account.safeParse(values)
  if (data === undefined) {
    yield lost('An entry of the people is not as Firebase writes it, and is left out.', at)
    return
  }
  const { localId, passwordHash, salt, providerUserInfo, mfaInfo } = data
  const hash = passwordHash !== undefined && salt !== undefined ? { passwordHash, salt } : undefined
  yield* personOf({
    system: 'Firebase',
    subject: localId,
    email: data.email,
    emailVerified: data.emailVerified,
    name: data.displayName,
    picture: data.photoUrl,
    active: data.disabled !== true,
    hash,
    // The Admin SDK tells of them; their secrets never leave Firebase.
    lostFactors: (mfaInfo ?? []).map(() => 'multi-factor'),
    providers: [
      ...(providerUserInfo ?? []).map((one) => one.providerId).filter((one) => !own.has(one)),
      ...providerColumns.filter((one) => Object.hasOwn(values, one)),
    ],
    attributes: attributesOf(claimsOf(data.customAttributes)),
  })
}

const own = new Set(['password', 'phone', 'emailLink'])
const providerColumns = ['google.com', 'facebook.com', 'twitter.com', 'github.com']

/** Custom claims are JSON within text. */
function claimsOf(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
