import { emailProblem } from './email-address.ts'
import { deceivingProblem } from './characters.ts'
import { userInfoProblem } from './user-info.ts'

/** The SMTP server that mail is handed over to. */
export interface MailServer {
  host: string
  port: number
  /** TLS from the first byte; otherwise STARTTLS is demanded. */
  secure: boolean
  user: string | undefined
  password: string | undefined
}

/** A name and an address, as a message names who sends it. */
export interface Mailbox {
  name: string | undefined
  address: string
}

const form = 'must be smtp://USER:PASSWORD@HOST:587 or smtps://USER:PASSWORD@HOST:465'

/** What is wrong with the address of a mail server; undefined: nothing. Never repeats it, for it holds a password. */
export function mailServerProblem(text: string): string | undefined {
  if (!/^smtps?:\/\//.test(text)) return form
  const unencoded = userInfoProblem(text)
  if (unencoded !== undefined) return unencoded
  if (!URL.canParse(text)) return form
  const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(text)
  if (hostname === '' || port === '0') return form
  if (!['', '/'].includes(pathname) || search !== '' || hash !== '')
    return 'has a path or a query: leave it out; nothing of TLS can be switched off'
  if ((username === '') !== (password === ''))
    return `holds a user without a password, or the reverse: ${form}`
  if (protocol === 'smtp:' && port === '465')
    return 'names port 465, where a server speaks TLS from the first byte: write smtps:'
  if (protocol === 'smtps:' && (port === '587' || port === '25'))
    return `names port ${port}, where a server begins without TLS: write smtp:, which demands STARTTLS`
  return undefined
}

/** The server of an address without a problem. */
export function mailServerOf(text: string): MailServer {
  const { protocol, hostname, port, username, password } = new URL(text)
  const secure = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    user: decoded(username) || undefined,
    password: decoded(password) || undefined,
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** `Name <address>` or an address; undefined: it is neither. */
export function mailboxOf(text: string): Mailbox | undefined {
  const [, name, inBrackets, alone] = /^(?:(.*?)\s*<([^<>]+)>|([^<>]+))$/s.exec(text.trim()) ?? []
  const address = (inBrackets ?? alone ?? '').trim()
  const plain = (name ?? '').replace(/^"(.*)"$/s, '$1').trim()
  if (emailProblem(address) !== undefined || /\p{Cc}/u.test(plain) || deceivingProblem(plain))
    return undefined
  return { name: plain === '' ? undefined : plain, address }
}
