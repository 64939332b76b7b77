import {
  argon2,
  bcryptProblem,
  decoded,
  type Digest,
  type Groups,
  type PasswordHash,
  pbkdf2,
  scrypt,
  type Unusable,
  unusable,
} from './kinds.ts'

interface Form {
  form: RegExp
  read: (groups: Groups, text: string) => PasswordHash | Unusable
}

const salt = '(?<salt>[A-Za-z0-9+/.]{2,172}={0,2})'
const key = '(?<key>[A-Za-z0-9+/.]{22,172}={0,2})'
const digest = '(?<digest>sha1|sha256|sha512)'
const count = String.raw`(?<iterations>\d{1,10})`
const cost = String.raw`r=(?<r>\d{1,10})`
/** A salt that is its text itself, without characters that a database can't store. */
const text = String.raw`(?<text>[^$\p{Cc}\p{Cs}]{1,128})`
const hex = '(?<hex>[0-9a-f]{32,128})'

/** Every form, each as its source writes it. */
export const forms: readonly Form[] = [
  // PHC, also below the names of LDAP and Django.
  {
    form: /^(?:\{(?:ARGON2|CRYPT)\}|argon2(?=\$argon2))?(?<phc>\$argon2(?:id|i|d)(?:\$v=(?:16|19))?\$m=(?<memory>\d{1,10}),t=(?<passes>\d{1,10}),p=(?<lanes>\d{1,8})\$(?<salt>[A-Za-z0-9+/]{11,86})\$(?<key>[A-Za-z0-9+/]{22,172}))$/,
    read: ({ phc = '', ...groups }) => argon2(groups, phc),
  },
  // bcrypt, alone or below the names of LDAP and Django.
  {
    form: /^(?:\{CRYPT\}|bcrypt\$|bcrypt_(?<before>sha256)\$)?(?<text>\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53})$/,
    read: ({ before, text: one = '', cost: log2 }) =>
      bcryptProblem(Number(log2)) ?? {
        kind: 'bcrypt',
        text: one,
        of: before === undefined ? 'password' : 'sha256',
      },
  },
  // Django.
  { form: new RegExp(`^pbkdf2_${digest}\\$${count}\\$${text}\\$${key}$`, 'u'), read: derived },
  {
    form: new RegExp(
      `^scrypt\\$(?<N>\\d{1,10})\\$${text}\\$(?<r>\\d{1,10})\\$(?<p>\\d{1,10})\\$${key}$`,
      'u',
    ),
    read: mixed,
  },
  // Werkzeug.
  { form: new RegExp(`^pbkdf2:${digest}:${count}\\$${text}\\$${hex}$`, 'u'), read: derived },
  {
    form: new RegExp(`^scrypt:(?<N>\\d{1,10}):(?<r>\\d{1,10}):(?<p>\\d{1,10})\\$${text}\\$${hex}$`, 'u'),
    read: mixed,
  },
  // PHC; passlib writes the number without `i=` and a dot for the plus.
  {
    form: new RegExp(`^\\$pbkdf2(?:-${digest})?\\$(?:i=)?${count}(?:,l=\\d{1,3})?\\$${salt}\\$${key}$`),
    read: derived,
  },
  // LDAP, as OpenLDAP and passlib write it.
  { form: new RegExp(`^\\{PBKDF2(?:-${digest})?\\}${count}\\$${salt}\\$${key}$`, 'i'), read: derived },
  // PHC, and Kratos, which writes N itself as ln.
  {
    form: new RegExp(`^\\$scrypt\\$ln=(?<ln>\\d{1,10}),${cost},p=(?<p>\\d{1,10})\\$${salt}\\$${key}$`),
    read: ({ ln, ...rest }) => mixed({ ...rest, N: String(Number(ln) < 64 ? 2 ** Number(ln) : ln) }),
  },
  // Firebase, as an import stores it.
  {
    form: new RegExp(`^\\$firebase\\$ln=(?<ln>\\d{1,2}),${cost}\\$${salt}\\$${key}$`),
    read: ({ ln, r, ...rest }) =>
      scrypt({ N: 2 ** Number(ln), r: Number(r), p: 1 }, { ...parts(rest), as: 'firebase' }),
  },
  // Better Auth: the salt is its hex text.
  {
    form: /^(?<text>[0-9a-f]{32}):(?<hex>[0-9a-f]{128})$/,
    read: (groups) => scrypt({ N: 16_384, r: 16, p: 1 }, parts(groups)),
  },
  // ASP.NET Identity, whose first byte is 0 or 1.
  { form: /^(?<bytes>A[A-Za-z0-9+/]{51,400}={0,2})$/, read: aspNet },
]

const parts = ({ text: plain, hex: inHex, ...inBase64 }: Groups) => ({
  salt: plain === undefined ? decoded(inBase64.salt) : Buffer.from(plain),
  key: inHex === undefined ? decoded(inBase64.key) : Buffer.from(inHex, 'hex'),
})

function derived({ digest: name = 'sha1', iterations, ...rest }: Groups): PasswordHash | Unusable {
  return pbkdf2(name.toLowerCase() as Digest, Number(iterations), parts(rest))
}

function mixed({ N, r, p, ...rest }: Groups): PasswordHash | Unusable {
  return scrypt({ N: Number(N), r: Number(r), p: Number(p) }, parts(rest))
}

const pseudoRandom: readonly Digest[] = ['sha1', 'sha256', 'sha512']

/** PasswordHasher of ASP.NET Core: version 2 has fixed parts, version 3 says theirs in numbers of four bytes. */
function aspNet({ bytes: inBase64 = '' }: Groups): PasswordHash | Unusable {
  const bytes = Buffer.from(inBase64, 'base64')
  if (bytes.toString('base64') !== inBase64) return unusable('has a salt or hash that is no base64')
  if (bytes[0] === 0 && bytes.length === 49)
    return pbkdf2('sha1', 1000, { salt: bytes.subarray(1, 17), key: bytes.subarray(17) })
  const name = bytes[0] === 1 ? pseudoRandom[bytes.readUInt32BE(1)] : undefined
  const length = bytes.readUInt32BE(9)
  if (name === undefined || length < 8 || length > 128)
    return unusable('is no hash of ASP.NET Identity, version 2 or 3')
  const [from, to] = [13, 13 + length]
  return pbkdf2(name, bytes.readUInt32BE(5), { salt: bytes.subarray(from, to), key: bytes.subarray(to) })
}
