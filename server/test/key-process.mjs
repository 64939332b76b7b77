/** Signing keys in a process of its own, which another one asks: each question brings the time with it. */
import { KeyRing } from '../dist/keys/key-ring.js'
import { keyTimes } from '../dist/keys/key-times.js'
import { openStore } from '../dist/store/open.js'

const [url, secret, began] = process.argv.slice(2)
let time = Number(began)
const store = await openStore(url)
const ring = await KeyRing.open({
  store,
  secret,
  now: () => time,
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
