import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import tls from 'node:tls'
import { vi } from 'vitest'
import { certify } from './certificates.ts'

const authority = certify('An authority of directories', { authority: true })
const certificates = {
  usual: certify('directory', { host: 'localhost' }, authority),
  stranger: certify('directory', { host: 'localhost' }),
  'another host': certify('directory', { host: 'directory.example' }, authority),
}

/** Lets this process trust the certificate of the directory, as NODE_EXTRA_CA_CERTS lets another one. */
export function trustDirectories(): void {
  const { createSecureContext } = tls
  // Each database of a test file asks for it.
  if (vi.isMockFunction(createSecureContext)) return
  vi.spyOn(tls, 'createSecureContext').mockImplementation((options) => {
    const made = createSecureContext(options)
    ;(made.context as { addCACert(pem: string): void }).addCACert(authority.certificate)
    return made
  })
}

export interface DirectoryEntry {
  dn: string
  password?: string
  /** Attributes by name. */
  [name: string]: string | Buffer | readonly string[] | undefined
}

/** What the directory does besides answering. */
export interface Behaviour {
  /** As slapd with `bind_anon_cred`: an empty password lets anybody in, as nobody. */
  anonymous?: boolean
  /** Waits so many ms before each answer. */
  slow?: number
  /** Closes the connection instead of answering this. */
  drops?: 'bind' | 'search' | 'starttls'
  /** Beside the entries, or instead of them. */
  refers?: 'beside' | 'instead'
  /** Answers each bind of a person with this code. */
  binds?: number
  /** The most entries of one answer, after which the search ends with the code 4. */
  sizeLimit?: number
  /** Follows the answer to StartTLS, as somebody on the way could send it. */
  injects?: Buffer
}

/** A small directory (RFC 4511): it binds and searches. */
export class LdapServer {
  entries: DirectoryEntry[] = []
  behaviour: Behaviour = {}
  /** The messages that came, in their order. */
  seen: string[] = []
  #server: Server | undefined
  readonly #sockets = new Set<Socket>()
  #scheme = 'ldaps'

  /** `plain`: it refuses StartTLS. */
  async listen(
    how: 'ldaps' | 'starttls' | 'plain',
    certificate: keyof typeof certificates = 'usual',
  ): Promise<void> {
    const { certificate: cert, key } = certificates[certificate]
    const secure = { cert, key }
    const taken = (socket: Socket) => this.#take(socket, how === 'starttls' ? secure : undefined)
    this.#scheme = how === 'ldaps' ? 'ldaps' : 'ldap'
    this.#server = how === 'ldaps' ? tls.createServer(secure, taken) : createServer(taken)
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((done) => this.#server?.close(() => done()) ?? done())
  }

  url(host = 'localhost'): string {
    return `${this.#scheme}://${host}:${(this.#server?.address() as AddressInfo | undefined)?.port}`
  }

  #take(socket: Socket, secure?: tls.TlsOptions): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined)
    let buffer = Buffer.alloc(0)
    let last = Promise.resolve()
    const read = (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk])
      for (let one = first(buffer); one !== undefined; one = first(buffer)) {
        buffer = buffer.subarray(one.length)
        const [id, operation] = parts(one.value)
        if (id === undefined || operation === undefined) return
        if (operation.tag === 0x77 && secure !== undefined) {
          socket.off('data', read)
          this.#startTls(socket, id, secure)
          return
        }
        last = last.then(() => this.#answer(socket, id, operation))
      }
    }
    socket.on('data', read)
  }

  #startTls(socket: Socket, id: Part, secure: tls.TlsOptions): void {
    this.seen.push('starttls')
    if (this.behaviour.drops === 'starttls') return void socket.destroy()
    socket.write(Buffer.concat([message(id, 0x78, result(0)), this.behaviour.injects ?? Buffer.alloc(0)]))
    const secured = new tls.TLSSocket(socket, {
      isServer: true,
      secureContext: tls.createSecureContext(secure),
    })
    this.#take(secured)
  }

  async #answer(socket: Socket, id: Part, { tag, value }: Part): Promise<void> {
    const send = (operation: number, content: Buffer) => socket.write(message(id, operation, content))
    if (this.behaviour.slow !== undefined) await setTimeout(this.behaviour.slow)
    if (socket.destroyed) return
    if (tag === 0x77) send(0x78, result(2))
    else if (tag === 0x60) {
      if (this.behaviour.drops === 'bind') return void socket.destroy()
      send(0x61, result(this.#bind(parts(value))))
    } else if (tag === 0x63) {
      if (this.behaviour.drops === 'search') return void socket.destroy()
      this.#search(parts(value), send)
    } else socket.end()
  }

  #bind([, name, credential]: Part[]): number {
    const [dn = '', password = ''] = [name, credential].map((one) => one?.value.toString())
    this.seen.push(`bind ${dn}`)
    const entry = this.entries.find((one) => one.dn === dn)
    if (password === '' || dn === '') return this.behaviour.anonymous === true ? 0 : 53
    if (this.behaviour.binds !== undefined && !dn.startsWith('cn=service')) return this.behaviour.binds
    return entry?.password === password ? 0 : 49
  }

  #search(
    [base, scope, , , , , filter, wanted]: Part[],
    send: (operation: number, content: Buffer) => void,
  ): void {
    this.seen.push('search')
    const { refers, sizeLimit = Infinity } = this.behaviour
    const referral = octets('ldap://127.0.0.1:1/dc=elsewhere')
    if (refers === 'instead') return send(0x65, result(10, tlv(0xa3, referral)))
    const below = base?.value.toString() ?? ''
    const within = this.entries.filter(({ dn }) =>
      scope?.value[0] === 0 ? dn === below : dn === below || dn.endsWith(`,${below}`),
    )
    if (within.length === 0) return send(0x65, result(32))
    const names = parts(wanted?.value ?? Buffer.alloc(0)).map((one) => one.value.toString().toLowerCase())
    const found = within.filter((entry) => filter !== undefined && isMatch(entry, filter))
    for (const { dn, password: _, ...attributes } of found.slice(0, sizeLimit)) {
      const shown = Object.entries(attributes).filter(([name]) =>
        names.includes(name.toLowerCase().split(';')[0] ?? ''),
      )
      const told = shown.map(([name, values]) =>
        tlv(0x30, octets(name), tlv(0x31, ...listed(values).map(octets))),
      )
      send(0x64, Buffer.concat([octets(dn), tlv(0x30, ...told)]))
    }
    if (refers === 'beside') send(0x73, referral)
    send(0x65, result(found.length > sizeLimit ? 4 : 0))
  }
}

const listed = (values: DirectoryEntry[string]): readonly (string | Buffer)[] =>
  values === undefined ? [] : typeof values === 'string' || Buffer.isBuffer(values) ? [values] : values

/** RFC 4511 §4.5.1.7, as far as it is asked for; texts are compared without case. */
function isMatch(entry: DirectoryEntry, { tag, value }: Part): boolean {
  if (tag === 0xa0) return parts(value).every((one) => isMatch(entry, one))
  if (tag === 0xa1) return parts(value).some((one) => isMatch(entry, one))
  const valuesOf = (name: string) =>
    Object.entries(entry).flatMap(([one, values]) =>
      one !== 'dn' && one !== 'password' && one.toLowerCase() === name.toLowerCase() ? listed(values) : [],
    )
  if (tag === 0x87) {
    const name = value.toString()
    return name.toLowerCase() === 'objectclass' || valuesOf(name).length > 0
  }
  if (tag !== 0xa3) throw new Error(`No filter of the kind ${tag} is asked for.`)
  const [name, asserted = Buffer.alloc(0)] = parts(value).map((one) => one.value)
  return valuesOf(name?.toString() ?? '').some((one) =>
    Buffer.isBuffer(one) ? one.equals(asserted) : one.toLowerCase() === asserted.toString().toLowerCase(),
  )
}

interface Part {
  tag: number
  value: Buffer
  /** With its tag. */
  length: number
}

/** The first value (X.690 §8.1); undefined: there is not all of it yet. */
function first(bytes: Buffer): Part | undefined {
  const [tag, short] = bytes
  if (tag === undefined || short === undefined) return undefined
  const more = short < 0x80 ? 0 : short & 0x7f
  if (bytes.length < 2 + more) return undefined
  const size = more === 0 ? short : bytes.readUIntBE(2, more)
  const length = 2 + more + size
  return bytes.length < length ? undefined : { tag, value: bytes.subarray(2 + more, length), length }
}

function parts(bytes: Buffer): Part[] {
  const one = first(bytes)
  return one === undefined ? [] : [one, ...parts(bytes.subarray(one.length))]
}

function tlv(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(content.length)
  return Buffer.concat([Buffer.from([tag, 0x84]), size, content])
}

const octets = (value: string | Buffer) => tlv(0x04, Buffer.from(value as string))
const message = (id: Part, operation: number, content: Buffer) =>
  tlv(0x30, tlv(0x02, id.value), tlv(operation, content))
const result = (code: number, ...more: Buffer[]) =>
  Buffer.concat([tlv(0x0a, Buffer.from([code])), octets(''), octets(''), ...more])
