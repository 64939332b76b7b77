import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** A public key of another service. No guard of ours takes a token by a key with this mark. */
export interface ForeignJwk extends JsonWebKey {
  kid: string
  use: 'sig'
  alg: string
  tessera_foreign: true
}

/** The members of a JWK that are secret (RFC 7518 §6.2.2, §6.3.2, §6.4.1). */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const rsaAlgs = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const kidForm = /^[\x21-\x7E]{1,255}$/

/**
 * Reads one public key: PEM, a JWK, or a key set of which `kid` names one. Throws what is wrong with it, and never says
 * anything of what it read.
 */
export function readForeignKey(text: string, kid: string | undefined): ForeignJwk {
  const { key, ...named } = text.includes('-----BEGIN') ? ofPem(text) : ofJson(text, kid)
  const name = named.kid ?? kid
  if (name === undefined)
    throw new Error('The key has no kid: add --kid, as the tokens that it signed name it.')
  if (kid !== undefined && kid !== name)
    throw new Error('The key in the file has another kid than --kid says.')
  if (!kidForm.test(name)) throw new Error('The kid must be 1 to 255 visible ASCII characters.')
  // Another kind of key can't be exported.
  const alg = algOf(key, named.alg)
  return {
    ...key.export({ format: 'jwk' }),
    kid: name,
    use: 'sig',
    alg,
    tessera_foreign: true,
  }
}

interface Read {
  key: KeyObject
  kid?: string | undefined
  alg?: unknown
}

function ofPem(text: string): Read {
  if (text.includes('PRIVATE KEY')) throw holdsPrivate()
  if (text.split('-----BEGIN').length > 2)
    throw new Error('The file holds more than one key: give one of them.')
  return { key: publicKeyOf(text) }
}

function ofJson(text: string, kid: string | undefined): Read {
  const value = parsed(text)
  const all = Array.isArray(value.keys) ? value.keys.map(membersOf) : [value]
  if (all.some((one) => secretMembers.some((name) => name in one))) throw holdsPrivate()
  const signing = all.filter(({ use }) => use === undefined || use === 'sig')
  const [jwk, ...more] = signing.filter((one) => all.length === 1 || kid === undefined || one.kid === kid)
  if (jwk === undefined)
    throw new Error('The file holds no key that is for signatures and has the kid of --kid.')
  if (more.length > 0) throw new Error('The file holds more than one key for signatures: say by --kid which.')
  const { kid: own, alg } = jwk
  if (own !== undefined && typeof own !== 'string') throw new Error('The kid of the key is no text.')
  return { key: publicKeyOf({ key: jwk, format: 'jwk' }), kid: own, alg }
}

function parsed(text: string): JsonWebKey {
  try {
    return membersOf(JSON.parse(text))
  } catch {
    throw noKey()
  }
}

function membersOf(value: unknown): JsonWebKey {
  if (typeof value !== 'object' || value === null) throw noKey()
  return { ...value }
}

function publicKeyOf(from: Parameters<typeof createPublicKey>[0]): KeyObject {
  try {
    return createPublicKey(from)
  } catch {
    throw noKey()
  }
}

/** The algorithm of a key that may be published. Throws what it lacks. */
function algOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject, alg: unknown): string {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = details ?? {}
  if (type === 'rsa') {
    if (modulusLength < 2048 || modulusLength > 8192)
      throw new Error('An RSA key must have 2048 to 8192 bits (RFC 7518 §3.3).')
    if (publicExponent < 3n || publicExponent % 2n === 0n) throw new Error('The RSA key has a weak exponent.')
    if (alg === undefined) return 'RS256'
    if (typeof alg === 'string' && rsaAlgs.includes(alg)) return alg
  } else if (type === 'ec' && namedCurve === 'prime256v1') {
    if (alg === undefined || alg === 'ES256') return 'ES256'
  } else throw new Error('The key must be of RSA, or of the curve P-256.')
  throw new Error('The alg of the key is not one that a key of its kind signs with.')
}

const noKey = () => new Error('The file holds no public key: give a PEM file, a JWK, or a key set and --kid.')

const holdsPrivate = () =>
  new Error(
    'THE FILE HOLDS A PRIVATE KEY. Nothing of it was kept or published. Whoever can read the file can sign with it: remove it from this machine, and give the public key alone.',
  )
