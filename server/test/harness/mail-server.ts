import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import tls from 'node:tls'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { vi } from 'vitest'
import { type Certified, certify } from './certificates.ts'

/** A message that a mail server took. */
export interface Arrived {
  /** Of the envelope. */
  to: string
  /** Whether it came over TLS, and by whose password. */
  secure: boolean
  user: string | undefined
  headers: Readonly<Record<string, string>>
  text: string
  html: string
}

/** What the server does with the next messages. */
export type Behaviour =
  | 'accept'
  /** 451 to the recipient. */
  | 'defer'
  /** 550 to the recipient. */
  | 'refuse'
  /** Takes the message, and closes the connection instead of saying so. */
  | 'drop'
  /** Says nothing after the message until it is told to. */
  | 'hold'

const authority = certify('An authority of mail', { authority: true })
const trusted = certify('mail', { host: 'localhost' }, authority)
const stranger = certify('mail', { host: 'localhost' })

/** Lets this process trust the certificate of the mail server, as NODE_EXTRA_CA_CERTS lets another one. */
export function trustMailServer(): void {
  const { createSecureContext } = tls
  vi.spyOn(tls, 'createSecureContext').mockImplementation((options) => {
    const made = createSecureContext(options)
    ;(made.context as { addCACert(pem: string): void }).addCACert(authority.certificate)
    return made
  })
}

/** A real SMTP server, which wants STARTTLS and a password. */
export class MailServer {
  readonly arrived: Arrived[] = []
  /** The commands of those who were not let in, or who stopped. */
  seen: string[] = []
  behaviour: Behaviour = 'accept'
  port = 0
  #server: SMTPServer | undefined
  #held: (() => void)[] = []

  /**
   * `plain`: it offers no STARTTLS. `strange`: its certificate is of nobody that we trust. `broken`: it goes away in the
   * middle of STARTTLS.
   */
  async listen(how: 'usual' | 'plain' | 'strange' | 'broken' = 'usual'): Promise<void> {
    const { certificate, key }: Certified = how === 'strange' ? stranger : trusted
    const server = new SMTPServer({
      cert: certificate,
      key,
      disableReverseLookup: true,
      closeTimeout: 100,
      ...(how === 'plain' && { hideSTARTTLS: true, disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
      ...(how === 'broken' && { onSecure: (_socket, _session, done) => done(new Error('It broke')) }),
      ...this.#handlers(),
    })
    // What a client does that goes away.
    server.on('error', () => undefined)
    server.listen(this.port, '127.0.0.1')
    await once(server.server, 'listening')
    this.port = (server.server.address() as AddressInfo).port
    this.#server = server
  }

  async close(): Promise<void> {
    this.release()
    await new Promise<void>((done) => this.#server?.close(() => done()) ?? done())
    this.#server = undefined
  }

  get url(): string {
    return `smtp://tessera:${encodeURIComponent('a p@ss')}@localhost:${this.port}`
  }

  /** Answers what is held. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer()
  }

  get held(): number {
    return this.#held.length
  }

  /** Those to one recipient, once there are as many. */
  async got(to: string, count = 1): Promise<[Arrived, ...Arrived[]]> {
    return await vi.waitFor(
      () => {
        const [first, ...others] = this.to(to)
        if (first === undefined || others.length + 1 < count)
          throw new Error(`${others.length + (first ? 1 : 0)} of ${count} mails to ${to}`)
        return [first, ...others]
      },
      { timeout: 60_000, interval: 25 },
    )
  }

  to = (address: string): Arrived[] => this.arrived.filter((one) => one.to === address)

  #handlers(): SMTPServerOptions {
    return {
      onAuth: ({ username, password }, _session, done) => {
        this.seen.push('AUTH')
        if (username === 'tessera' && password === 'a p@ss') done(null, { user: username })
        else done(new Error('Wrong password'))
      },
      onMailFrom: (_address, _session, done) => {
        this.seen.push('MAIL')
        done()
      },
      onRcptTo: (_address, _session, done) => {
        if (this.behaviour === 'refuse') done(answer(550, 'No such mailbox'))
        else if (this.behaviour === 'defer') done(answer(451, 'Come back later'))
        else done()
      },
      onData: (stream, session, done) => {
        const take = (bytes: Buffer) => {
          const [to = ''] = session.envelope.rcptTo.map(({ address }) => address)
          this.arrived.push({ to, secure: session.secure, user: session.user, ...parsed(bytes.toString()) })
          if (this.behaviour === 'hold') this.#held.push(() => done())
          else if (this.behaviour === 'drop') done(answer(421, 'Closing'))
          else done()
        }
        // Nothing arrives from a service that stops in the middle of a mail: it sends it again.
        buffer(stream).then(take, () => undefined)
      },
    }
  }
}

const answer = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

/** As much of MIME (RFC 2045) as these messages have. */
function parsed(message: string): Pick<Arrived, 'headers' | 'text' | 'html'> {
  const { headers, body } = split(message)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  const parts =
    boundary === undefined
      ? []
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((one) => split(one.trimStart()))
  const part = (type: string) => parts.find((one) => one.headers['content-type']?.startsWith(type))
  return { headers, text: decoded(part('text/plain')), html: decoded(part('text/html')) }
}

interface Part {
  headers: Record<string, string>
  body: string
}

function split(text: string): Part {
  const at = text.indexOf('\r\n\r\n')
  const lines = text
    .slice(0, at)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(':')
    return [name.toLowerCase(), value.join(':').trim()] as const
  })
  return { headers: Object.fromEntries(headers), body: text.slice(at + 4) }
}

function decoded(part: Part | undefined): string {
  if (part === undefined) return ''
  const { headers, body } = part
  const encoding = headers['content-transfer-encoding']
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
