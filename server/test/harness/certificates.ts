import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** X.509 certificates for tests, made here so that no machine needs openssl (RFC 5280). */
export interface Certified {
  name: string
  privateKey: KeyObject
  /** PEM. */
  certificate: string
  key: string
}

/** What a certificate is for. */
export interface Use {
  /** It signs others. */
  authority?: boolean
  /** The host that it is shown by. */
  host?: string
}

/** A certificate for two days, signed by the issuer; by itself when there is none. */
export function certify(name: string, use: Use, issuer?: Certified): Certified {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const day = 86_400_000
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    ecdsaWithSha256,
    distinguishedName(issuer?.name ?? name),
    sequence(time(Date.now() - day), time(Date.now() + day)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions(use))),
  )
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey)
  const whole = sequence(body, ecdsaWithSha256, tagged(0x03, Buffer.from([0]), signature))
  return {
    name,
    privateKey,
    certificate: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** basicConstraints and subjectAltName (RFC 5280 §4.2.1). */
function extensions({ authority, host }: Use): Buffer[] {
  const yes = Buffer.from([0x01, 0x01, 0xff])
  const constraint = sequence(oid(0x55, 0x1d, 0x13), yes, tagged(0x04, sequence(yes)))
  const end = sequence(oid(0x55, 0x1d, 0x13), tagged(0x04, sequence()))
  if (host === undefined) return [authority ? constraint : end]
  const names = tagged(0x04, sequence(tagged(0x82, Buffer.from(host))))
  return [authority ? constraint : end, sequence(oid(0x55, 0x1d, 0x11), names)]
}

/** Tag, length, content (X.690 §8.1). */
function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]) => tagged(0x30, ...parts)
const integer = (value: Buffer) => tagged(0x02, value)
const oid = (...bytes: number[]) => tagged(0x06, Buffer.from(bytes))
const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))

/** CN alone. */
function distinguishedName(name: string): Buffer {
  const commonName = sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from(name)))
  return sequence(tagged(0x31, commonName))
}

/** UTCTime, `YYMMDDHHMMSSZ`. */
function time(at: number): Buffer {
  const text = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return tagged(0x17, Buffer.from(text.slice(2)))
}
