import { iamAudience } from '../protocol/permission.ts'
import type { Declared } from './declared.ts'
import { type Problem } from './problems.ts'

/** What a file says that is Tessera's own: tokens without a service are for the issuer, and nobody else is where we are. */
export function oursIn(declared: Declared, issuer: string): Problem[] {
  const { file } = declared
  const own = [issuer, iamAudience(issuer)]
  const { origin } = new URL(issuer)
  const services = declared.services.filter(({ audience }) => own.includes(audience))
  const clients = declared.clients.filter(({ origins }) => origins?.includes(origin))
  return [
    ...services.map(({ audience, code, line }) => ({
      file,
      line,
      reason: `the audience ${audience} belongs to Tessera itself; give the service ${code} another.`,
    })),
    ...clients.map(({ client_id, line }) => ({
      file,
      line,
      reason: `the origin ${origin} is where Tessera itself is; the client ${client_id} needs one of its own.`,
    })),
  ]
}
