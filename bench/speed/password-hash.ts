import { hashSync } from '@node-rs/argon2'
import { argon2Parameters } from '../../server/dist/protocol/password-hash.js'

/** What one password hash of the service costs just now: µs of CPU. */
export function hashCost(times = 10): number {
  const before = process.cpuUsage()
  for (let done = 0; done < times; done++) hashSync('correct horse battery one', argon2Parameters)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}
