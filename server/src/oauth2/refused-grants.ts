import { RateLimiterMemory } from 'rate-limiter-flexible'
import { addressKey } from '../identity/address.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Service } from '../service.ts'

/** Refused grants per address (decisions 8). A request that succeeds costs a look into memory. */
export function refusedGrants(service: Service) {
  const { grants } = service.settings.limits
  const counter = grants === 0 ? undefined : new RateLimiterMemory({ points: grants, duration: 60 })
  return {
    async watch<T>(address: string, answer: () => Promise<T>): Promise<T> {
      if (counter === undefined) return await answer()
      const key = addressKey(address)
      const counted = await counter.get(key)
      if (counted !== null && counted.consumedPoints >= grants) {
        const seconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1000))
        throw new ProtocolError(
          'too_many_requests',
          `Too many refused requests from this address. Try again in ${seconds} s.`,
          {
            headers: { 'retry-after': String(seconds) },
          },
        )
      }
      try {
        return await answer()
      } catch (error) {
        if (error instanceof ProtocolError && error.status < 500) await counter.penalty(key)
        throw error
      }
    },
  }
}
