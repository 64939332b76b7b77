'use strict'
/**
 * Loaded before all else by the processes that run tests. A thread of the lowest priority gets nothing while other
 * tests have the cores: there, a sign-in would wait for seconds. What runs as a process of its own keeps it.
 */
const os = require('node:os')
const { syncBuiltinESMExports } = require('node:module')

os.setPriority = () => undefined
syncBuiltinESMExports()
