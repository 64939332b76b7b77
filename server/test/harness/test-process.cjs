'use strict'
/** Loaded before all else by the processes that run tests. What runs as a process of its own does without. */
const crypto = require('node:crypto')
const os = require('node:os')
const { syncBuiltinESMExports } = require('node:module')
const { promisify } = require('node:util')

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
syncBuiltinESMExports()
