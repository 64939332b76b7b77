import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/** What an authenticator or a browser does otherwise than a right one. */
export interface Deviations {
  challenge?: string
  origin?: string
  rpId?: string
  type?: string
  crossOrigin?: boolean
  userVerified?: boolean
  /** False: nobody touched it. */
  userPresent?: boolean
  userHandle?: string | undefined
  /** Instead of counting on. */
  signCount?: number
  backupEligible?: boolean
  /** Signs with another key than that of the credential. */
  forged?: boolean
}

interface Asked {
  challenge: string
  user?: { id: string }
}

/** An authenticator with the browser before it, in software: ES256, attestation none. It has one credential. */
export class Authenticator {
  readonly credentialId: string
  readonly #keys: { privateKey: KeyObject; publicKey: KeyObject }
  readonly #origin: string
  readonly #backupEligible: boolean
  #signCount: number
  userHandle: string | undefined

  /** `known`: a credential that was made elsewhere, by its id and its key (PKCS #8, base64). */
  constructor(
    origin: string,
    {
      backupEligible = false,
      known,
    }: { backupEligible?: boolean; known?: { id: string; key: string; signCount: number } } = {},
  ) {
    this.#origin = origin
    this.credentialId = known?.id ?? randomBytes(32).toString('base64url')
    this.#signCount = (known?.signCount ?? 0) + 1
    const privateKey =
      known && createPrivateKey({ key: Buffer.from(known.key, 'base64'), format: 'der', type: 'pkcs8' })
    this.#keys = privateKey
      ? { privateKey, publicKey: createPublicKey(privateKey) }
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#backupEligible = backupEligible
  }

  /** The credential as a service keeps it that had it made before. */
  kept() {
    const { credentialId } = this
    const backupEligible = this.#backupEligible
    return {
      credentialId,
      publicKey: coseOf(this.#keys.publicKey, -7).toString('base64url'),
      signCount: 0,
      backupEligible,
      backupState: backupEligible,
      transports: ['internal'],
      aaguid: '00000000-0000-0000-0000-000000000000',
    }
  }

  /** The answer to `navigator.credentials.create()`, as JSON. */
  create({ challenge, user }: Asked, deviations: Deviations = {}, alg = -7): string {
    this.userHandle = user?.id
    const clientData = this.#clientData('webauthn.create', challenge, deviations)
    const id = Buffer.from(this.credentialId, 'base64url')
    const length = Buffer.from([id.length >> 8, id.length & 0xff])
    const attested = Buffer.concat([Buffer.alloc(16), length, id, coseOf(this.#keys.publicKey, alg)])
    const authData = Buffer.concat([this.#authData(deviations, 0x40), attested])
    const attestation = cbor(
      new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    )
    return this.#json({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** The answer to `navigator.credentials.get()`, as JSON. */
  get({ challenge }: Asked, deviations: Deviations = {}): string {
    const clientData = this.#clientData('webauthn.get', challenge, deviations)
    const authData = this.#authData(deviations, 0)
    const digest = createHash('sha256').update(clientData).digest()
    const key = deviations.forged
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      : this.#keys.privateKey
    const signature = createSign('sha256').update(authData).update(digest).sign(key)
    const userHandle = 'userHandle' in deviations ? deviations.userHandle : this.userHandle
    return this.#json({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(userHandle !== undefined && { userHandle }),
    })
  }

  #json(response: object): string {
    const { credentialId: id } = this
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} })
  }

  #clientData(type: string, challenge: string, deviations: Deviations): Buffer {
    const { origin = this.#origin, crossOrigin = false } = deviations
    const told = {
      type: deviations.type ?? type,
      challenge: deviations.challenge ?? challenge,
      origin,
      crossOrigin,
    }
    return Buffer.from(JSON.stringify(told))
  }

  #authData(deviations: Deviations, more: number): Buffer {
    const { userVerified = true, userPresent = true, backupEligible = this.#backupEligible } = deviations
    const count = Buffer.alloc(4)
    count.writeUInt32BE(deviations.signCount ?? this.#signCount++)
    const rpId = deviations.rpId ?? new URL(this.#origin).hostname
    const flags = (userPresent ? 0x01 : 0) | (userVerified ? 0x04 : 0) | (backupEligible ? 0x18 : 0) | more
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count])
  }
}

type Cbor = number | string | Buffer | Map<number | string, Cbor>

/** As much of CBOR (RFC 8949) as a credential needs. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([name, one]) => [cbor(name), cbor(one)])])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  return length < 256
    ? Buffer.from([(major << 5) | 24, length])
    : Buffer.from([(major << 5) | 25, length >> 8, length & 0xff])
}

/** A P-256 key as COSE (RFC 9053 §7.1.1). */
function coseOf(key: KeyObject, alg: number): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, alg],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  )
}
