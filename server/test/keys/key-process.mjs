/** Signing keys in a process of its own, which another one asks: each question brings the time with it. */
import crypto from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

const [url, secret, began, made] = process.argv.slice(2)

/** Each lies in the set of keys with a `kid` of its own, by which verifiers choose: it may be there more than once. */
const different = 10

// An RSA key takes a quarter of a second, so a few serve again and again, on both databases.
const generate = promisify(crypto.generateKeyPair)
let count = 0
async function madeOnce(type, options) {
  if (type !== 'rsa') return await generate(type, options)
  const file = join(made, `${count++ % different}.pem`)
  if (!existsSync(file)) {
    const { privateKey } = await generate(type, options)
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  }
  const pem = readFileSync(file)
  return { privateKey: crypto.createPrivateKey(pem), publicKey: crypto.createPublicKey(pem) }
}
crypto.generateKeyPair = Object.assign(() => undefined, { [promisify.custom]: madeOnce })
syncBuiltinESMExports()

const { KeyRing } = await import('../../dist/keys/key-ring.js')
const { keyTimes } = await import('../../dist/keys/key-times.js')
const { auditKeeper } = await import('../../dist/keys/audit-key.js')
const { openStore } = await import('../../dist/database/open.js')

let time = Number(began)
const store = await openStore(
  url,
  auditKeeper(() => ({ secret })),
)
const ring = await KeyRing.open({
  store,
  secret,
  now: () => time,
  keyLead: keyTimes.leastLead,
  longestTokenLife: keyTimes.longestClientToken,
})

const answers = {
  rotate: () => ring.rotate(),
  reload: () => ring.reload(),
  jwks: () => ring.jwks(),
  sign: ({ claims, alg }) => ring.sign('at+jwt', claims, alg),
}
process.on('message', async ({ id, now, question, about }) => {
  time = now
  process.send({ id, answer: await answers[question](about) })
})
process.once('disconnect', () => store.close())
process.send({ id: 0 })
