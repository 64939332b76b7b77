import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** Public keys of a client (RFC 7517 §5). */
export type JwkSet = { readonly keys: readonly JsonMembers[] }

/** The members of a JSON object of a client. */
export type JsonMembers = { readonly [member: string]: Member }
type Member = string | number | boolean | null | readonly Member[] | JsonMembers

/** What a client may sign its assertions with: no shared secret, and never nothing. */
export const assertionAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

const most = 10
/** Members of private and symmetric keys (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** What is wrong with a key set, to follow its name; undefined: nothing. */
export function jwkSetProblem(value: unknown): string | undefined {
  const keys = keysOf(value)
  if (keys === undefined) return 'is no JWK set: an object with the list "keys"'
  if (keys.length === 0 || keys.length > most) return `has ${keys.length} keys; it has 1 to ${most}`
  if (keys.some((key) => privateMembers.some((name) => name in key)))
    return 'holds a private or symmetric key; register public keys alone'
  if (keys.some((key) => !isUsable(key)))
    return 'holds a key that is none of RSA from 2048 bits, P-256 and Ed25519'
  const kids = keys.map((key) => key.kid)
  const named = kids.every((kid) => typeof kid === 'string') && new Set(kids).size === kids.length
  return keys.length === 1 || named ? undefined : 'has several keys, and not each has a kid of its own'
}

function keysOf(value: unknown): JwkSet['keys'] | undefined {
  const isObject = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one)
  if (!isObject(value)) return undefined
  const { keys } = value as { keys?: unknown }
  return Array.isArray(keys) && keys.every(isObject) ? (keys as JwkSet['keys']) : undefined
}

function isUsable(key: Readonly<Record<string, unknown>>): boolean {
  try {
    return isStrong(createPublicKey({ key: key as JsonWebKey, format: 'jwk' }))
  } catch {
    return false
  }
}

function isStrong({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'rsa') return (details?.modulusLength ?? 0) >= 2048
  return type === 'ed25519' || (type === 'ec' && details?.namedCurve === 'prime256v1')
}

/** The keys of a fetched set that can be used; a set may hold others, for other uses. */
export function usableKeys(text: string): JwkSet | undefined {
  try {
    const keys = keysOf(JSON.parse(text))?.filter(
      (key) => !privateMembers.some((name) => name in key) && isUsable(key),
    )
    return keys && { keys }
  } catch {
    return undefined
  }
}
