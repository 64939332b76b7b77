import type { Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Name } from '../shared/text.tsx'

/** Whether it signs, or has a token of its platform, instead of a secret. */
export const isByKey = ({ token_endpoint_auth_method: method }: Client): boolean =>
  method === 'private_key_jwt'

/** What proves an application that has no secret, in words. */
export function Proof({ client: { jwks, jwks_uri: address, federated } }: { client: Client }) {
  const { secrets: words } = useWords()
  if (federated) {
    const { issuer, subject, claims = {} } = federated
    const all = Object.entries(claims).map(([name, value]) => words.claimIs(name, JSON.stringify(value)))
    return (
      <Name>
        {subject === undefined
          ? words.ofClaims(issuer, all.join(words.and))
          : words.ofSubject(issuer, subject)}
      </Name>
    )
  }
  return address ? <Name>{words.keysAt(address)}</Name> : words.ownKeys(jwks?.keys.length ?? 0)
}
