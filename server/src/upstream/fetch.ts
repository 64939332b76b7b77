import type { Service } from '../service.ts'
import { withDeadline } from '../webhooks/deadline.ts'
import { type OutboundAnswer, read, TooLong } from '../webhooks/send.ts'
import { UpstreamRefusal } from './refusal.ts'

const timeout = 10_000
const mostBytes = 1_048_576
const never = new AbortController().signal

/** What may be reached at an address that an organisation chose: as for webhooks, by the settings. */
export interface Reaching {
  toPrivateAddresses: boolean
  /** What is said of an address that may not be reached, and of an unknown name alike. */
  refusal: string
}

/** Hosts that an organisation's address may lead to, by the settings. */
export const reachingOf = ({
  settings,
}: {
  settings: Pick<Service['settings'], 'webhooksToPrivateAddresses'>
}): Reaching => ({
  toPrivateAddresses: settings.webhooksToPrivateAddresses,
  refusal: 'The name is unknown, or leads to a private address, which is not reached from here.',
})

export interface UpstreamCall {
  url: string
  headers?: Record<string, string>
  /** The body of a POST; left out: a GET. */
  body?: string | undefined
}

/** Asks an upstream; follows no redirect. Throws `unreachable`, and `documents` where it redirects or answers too much. */
export async function fetched(
  { toPrivateAddresses, refusal }: Reaching,
  sent: UpstreamCall,
): Promise<OutboundAnswer> {
  const { url, body } = sent
  const headers = { 'user-agent': 'Tessera', ...sent.headers }
  const answer = await withDeadline(timeout, never, (signal) =>
    read({ url, headers, body, toPrivateAddresses, refusal, signal }, mostBytes),
  ).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UpstreamRefusal(cause instanceof TooLong ? 'documents' : 'unreachable', `${url}: ${why}`, {
      cause,
    })
  })
  if (answer.status >= 300 && answer.status < 400)
    throw new UpstreamRefusal(
      'documents',
      `${url} redirects, which is not followed; give the address it leads to.`,
    )
  return answer
}

/** Gets a document of an upstream, whatever its status but a redirect. Throws as `fetched` does. */
export async function fetchDocument(
  reaching: Reaching,
  url: string,
): Promise<{ status: number; body: string }> {
  const { status, bytes } = await fetched(reaching, { url })
  return { status, body: bytes.toString('utf8') }
}
