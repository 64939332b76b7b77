'use strict'
/** Loaded before all else by the processes that run tests. What runs as a process of its own does without. */
const crypto = require('node:crypto')
const net = require('node:net')
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

// By TCP a statement costs both ends twice the CPU. Services in processes of their own still use it.
const { TEST_POSTGRES_PORT: port, TEST_POSTGRES_SOCKET: path } = process.env
const { connect } = net.Socket.prototype
if (path !== undefined)
  net.Socket.prototype.connect = function (...to) {
    const isOurs = to.length === 2 && String(to[0]) === port && to[1] === '127.0.0.1'
    return isOurs ? connect.call(this, path) : connect.apply(this, to)
  }
syncBuiltinESMExports()
