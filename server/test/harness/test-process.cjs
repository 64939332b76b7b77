'use strict'
/** Loaded before all else by the processes that run tests. What runs as a process of its own does without. */
const crypto = require('node:crypto')
const net = require('node:net')
const os = require('node:os')
const { syncBuiltinESMExports } = require('node:module')
const { promisify } = require('node:util')
const { getEnvironmentData, setEnvironmentData } = require('node:worker_threads')
const argon2 = require('@node-rs/argon2')

// A thread of the lowest priority gets nothing while other tests have the cores: a sign-in would wait for seconds.
os.setPriority = () => undefined

// To make a pair of RSA takes 0.2 s. These come around again after eight, so that neighbours differ.
const generate = promisify(crypto.generateKeyPair)
const pairs = []
let turn = 0
crypto.generateKeyPair[promisify.custom] = (type, options) => {
  if (type !== 'rsa') return generate(type, options)
  return (pairs[turn++ % 8] ??= generate(type, options))
}

// To hash or to check a password takes 20 ms of CPU. One that was found right is not checked again, and
// of each there are two hashes, which come around so that neighbours differ. A wrong one costs what it costs, and so does
// every one where harness/passwords.ts says so: in this process and in its threads.
const { hash, hashSync, verify, verifySync } = argon2
const dear = getEnvironmentData('passwords are dear') ?? new Uint8Array(new SharedArrayBuffer(1))
setEnvironmentData('passwords are dear', dear)
const right = new Map()
const hashes = new Map()
function hashed(make, password, options) {
  if (dear[0] === 1) return make(password, options)
  const key = JSON.stringify([make.name, password, options])
  const [first = make(password, options), second] = hashes.get(key) ?? []
  hashes.set(key, [second, first])
  return first
}
const isKnown = (text, password) => dear[0] === 0 && right.get(text) === password
function found(text, password, matches) {
  if (matches) right.set(text, password)
  return matches
}
Object.assign(argon2, {
  hash: async (...given) => await hashed(hash, ...given),
  hashSync: (...given) => hashed(hashSync, ...given),
  verify: async (text, password) =>
    isKnown(text, password) || found(text, password, await verify(text, password)),
  verifySync: (text, password) =>
    isKnown(text, password) || found(text, password, verifySync(text, password)),
})

// By TCP a statement costs both ends twice the CPU. Services in processes of their own still use it.
const { TEST_POSTGRES_PORT: port, TEST_POSTGRES_SOCKET: path } = process.env
const { connect } = net.Socket.prototype
if (path !== undefined)
  net.Socket.prototype.connect = function (...to) {
    const isOurs = to.length === 2 && String(to[0]) === port && to[1] === '127.0.0.1'
    return isOurs ? connect.call(this, path) : connect.apply(this, to)
  }
syncBuiltinESMExports()
