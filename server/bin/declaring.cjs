'use strict'
// The process of one declared file over HTTP (declaring/child.ts). Signals first: it has the secret.
require('./signals.cjs')
const { join } = require('node:path')
const { start } = require('./compiled.cjs')

const dist = join(__dirname, '..', 'dist')
start(join(dist, 'bundle', 'declaring.cjs'), join(dist, 'declaring', 'child-process.js'))
