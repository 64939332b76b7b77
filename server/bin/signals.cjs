'use strict'
// Loaded before all else. Without a listener SIGUSR1 opens Node's debugger, whose reader gets every key, and SIGUSR2
// ends the process.
for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => undefined)
